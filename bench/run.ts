/**
 * The bench: Reeve against the bare parts that it is made of, in the same run. `npm run bench -- --help`.
 * It measures the built package, as users get it: `npm run build` first.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { Command, InvalidArgumentError } from 'commander'
import { compare } from './comparisons.ts'
import { roundsFor } from './cpu-work.ts'
import { describeMachine } from './machine.ts'
import { replaceBlock } from './readme-block.ts'
import { latestPage, type Results, readmeTable } from './report.ts'
import { takeRounds } from './rounds.ts'
import { isSampleName, type SampleName, samples } from './samples/all.ts'
import type { SampleSettings } from './samples/sample.ts'

interface Options {
  readonly quick?: true
  readonly only?: readonly SampleName[]
  readonly rounds?: number
  readonly folder: string
  readonly writeReadme?: true
}

const full = { noopJobs: 20_000, cpuJobs: 600, latencyJobs: 300, idleMs: 2_000 }
const quick = { noopJobs: 3_000, cpuJobs: 100, latencyJobs: 50, idleMs: 300 }

const options = new Command('npm run bench --')
  .description('Measures Reeve against bare better-sqlite3, bare piscina and an idle process.')
  .option('--quick', 'one round of small samples: shows that the bench works, measures nothing; writes no file')
  .option('--only <samples...>', `take only these samples and write no file: ${Object.keys(samples).join(', ')}`, sampleNames)
  .option('--rounds <number>', 'how often each sample is taken; default 5, with --quick 1', wholeNumber)
  .option('--folder <path>', 'where the databases go: a folder on the disk to be measured', tmpdir())
  .option('--write-readme', 'put the table into README.md too')
  .parse()
  .opts<Options>()

const settings: SampleSettings = { ...(options.quick ? quick : full), folder: options.folder, cpuRounds: roundsFor(5) }
const names = options.only ?? (Object.keys(samples) as SampleName[])
const rounds = options.rounds ?? (options.quick ? 1 : 5)
const machine = describeMachine(options.folder)
const taken = await takeRounds(names, rounds, settings, (line) => console.log(line))
const { folder: _, ...kept } = settings
const results: Results = {
  date: new Date().toISOString(),
  machine,
  rounds,
  settings: kept,
  compared: compare(taken),
  samples: Object.fromEntries(taken),
}
console.log(`\n${readmeTable(results)}`)
if (!options.quick && options.only === undefined) await keep(results)

async function keep(kept: Results): Promise<void> {
  const folder = new URL('./results/', import.meta.url)
  await mkdir(folder, { recursive: true })
  const name = `${kept.date.slice(0, 10)}-node${machine.versions.node}-${process.platform}-${process.arch}.json`
  await writeFile(new URL(name, folder), `${JSON.stringify(kept, null, 2)}\n`)
  await writeFile(new URL('latest.md', folder), latestPage(kept))
  console.log(`\nWritten: bench/results/${name} and bench/results/latest.md`)
  if (!options.writeReadme) return
  const readme = new URL('../README.md', import.meta.url)
  await writeFile(readme, replaceBlock(await readFile(readme, 'utf8'), readmeTable(kept)))
  console.log('Written: README.md')
}

/** Commander calls it for each name, with those before it. */
function sampleNames(name: string, before: readonly SampleName[] = []): readonly SampleName[] {
  if (!isSampleName(name)) throw new InvalidArgumentError(`There are ${Object.keys(samples).join(', ')}.`)
  return [...before, name]
}

function wholeNumber(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1) return number
  throw new InvalidArgumentError('A whole number from 1.')
}
