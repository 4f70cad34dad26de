/** What it costs to store a large batch: Reeve from the app's thread, and one prepared insert in one transaction. */
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createRuntime } from 'reeve'
import type jobs from '../jobs.ts'
import { openBare } from './bare-sqlite.ts'
import { watchLoop } from './loop-delay.ts'
import { perSecond, type Sample } from './sample.ts'

/** So many times the no-op jobs of a sample: 100,000 in a full run. */
const times = 5
/** The statements and the file are warm after it. */
const warmUpJobs = 2_000
/** So many batches of that size until the heaps of both threads are as large as they get; and so many to see whether that is so. */
const batchesUntilFlat = 6
const batchesToSee = 5

// Else it is the collector's mood that is measured: it may leave 50 MB for later.
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** From the call of `enqueueMany` until it has resolved, with no thread that runs them. */
export const reeveEnqueueMany: Sample = async ({ folder, noopJobs }) => {
  await using runtime = await createRuntime<typeof jobs>({ database: join(folder, 'many.db'), threads: 0, durability: 'process' })
  const batch = (count: number) => Array.from({ length: count }, (_, n) => ({ kind: 'noop' as const, input: { n } }))
  await runtime.enqueueMany(batch(warmUpJobs))
  const many = batch(noopJobs * times)
  const seen = watchLoop()
  const begunAt = performance.now()
  await runtime.enqueueMany(many)
  const jobsPerSecond = perSecond(many.length, begunAt)
  const loop = seen()
  const more = async (batches: number) => {
    for (let done = 0; done < batches; done++) {
      await runtime.enqueueMany(batch(noopJobs * times))
      collectGarbage()
    }
    return process.memoryUsage().rss / 1_048_576
  }
  const [flatMb, afterMb] = [await more(batchesUntilFlat - 1), await more(batchesToSee)]
  return { jobsPerSecond, ...loop, memoryMb: afterMb, grownMb: afterMb - flatMb }
}

/** The same rows into the same table by one statement on the calling thread: no checks, no ids of ours, no messages, no copies. */
export const bareInsert: Sample = async ({ folder, noopJobs }) => {
  const file = join(folder, 'bare-insert.db')
  await (await createRuntime({ database: file, threads: 0, durability: 'process' })).close()
  const db = openBare(file, 'NORMAL')
  const insert = db.prepare(`INSERT INTO reeve_jobs (id, kind, queue, state, priority, run_at, created_at, input)
    VALUES (?, 'noop', 'default', 'ready', 0, ?, ?, ?)`)
  const insertAll = db.transaction((count: number) => {
    for (let n = 0; n < count; n++) insert.run(crypto.randomUUID(), Date.now(), Date.now(), JSON.stringify({ n }))
  })
  insertAll.immediate(warmUpJobs)
  const begunAt = performance.now()
  insertAll.immediate(noopJobs * times)
  const jobsPerSecond = perSecond(noopJobs * times, begunAt)
  db.close()
  return { jobsPerSecond }
}
