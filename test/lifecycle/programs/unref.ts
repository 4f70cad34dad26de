/** Opens a runtime, lets one job run, and comes to its end without a close: `unref` alone must let it end. */
import { createRuntime } from '../../../src/index.ts'
import type jobs from '../jobs/basics.ts'

const [database = '', mode = 'unref'] = process.argv.slice(2)
const runtime = await createRuntime<typeof jobs>({ database, jobs: new URL('../jobs/basics.ts', import.meta.url), threads: 1 })
console.log(await (await runtime.enqueue('echo', 'ran')).result())
const started = new Promise<void>((resolve) => void runtime.on('started', ({ kind }) => kind === 'never' && resolve()))
const left = await runtime.enqueue('never')
await started
console.log(left.id)
runtime.unref()
if (mode === 'ref') {
  runtime.ref()
  // Nothing but the runtime keeps the process alive until then.
  setTimeout(() => {
    console.log('still here')
    process.exit(3)
  }, 300).unref()
}
