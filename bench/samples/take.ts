/** Takes one sample and prints its numbers: `node bench/samples/take.ts <name> <settings as JSON>`. Run by `bench/run.ts`. */
import { isSampleName, samples } from './all.ts'
import type { SampleSettings } from './sample.ts'

const [, , name = '', settings = '{}'] = process.argv
if (!isSampleName(name)) throw new Error(`There is no sample '${name}'; there are ${Object.keys(samples).join(', ')}.`)
const numbers = await samples[name](JSON.parse(settings) as SampleSettings)
console.log(JSON.stringify(numbers))
