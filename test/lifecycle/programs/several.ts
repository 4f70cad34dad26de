/** A worker process: runs the jobs of a database until its input ends. */
import { createRuntime } from '../../../src/index.ts'
import type jobs from '../jobs/basics.ts'

const [database = ''] = process.argv.slice(2)
await using runtime = await createRuntime<typeof jobs>({
  database,
  jobs: new URL('../jobs/basics.ts', import.meta.url),
  threads: 1,
})
await new Promise<void>((resolve) => void runtime.on('completed', () => resolve()))
