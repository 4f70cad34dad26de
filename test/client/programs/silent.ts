/** Jobs that log and fail, under a runtime that was given no logger: nothing of it may be printed. */
import { createRuntime } from '../../../src/index.ts'
import type jobs from '../jobs/talks.ts'

await using runtime = await createRuntime<typeof jobs>({
  database: process.argv[2] ?? '',
  jobs: new URL('../jobs/talks.ts', import.meta.url),
  threads: 1,
})
for (const kind of ['talks', 'talksAndHangs'] as const) await (await runtime.enqueue(kind)).result().catch(() => undefined)
