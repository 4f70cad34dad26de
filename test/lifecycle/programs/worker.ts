/** A worker process: runs the jobs of a database until the given one is over. */
import { createRuntime } from '../../../src/index.ts'
import type jobs from '../jobs/basics.ts'

const [database = '', id = ''] = process.argv.slice(2)
await using runtime = await createRuntime<typeof jobs>({
  database,
  jobs: new URL('../jobs/basics.ts', import.meta.url),
  threads: 1,
})
await (await runtime.handle(id)).result()
