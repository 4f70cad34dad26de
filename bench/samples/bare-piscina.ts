/** The bare pool: piscina with the settings that Reeve gives it, nothing stored and no timeouts. */
import { Piscina } from 'piscina'
import { watchLoop } from './loop-delay.ts'
import { perSecond, type Sample, type SampleSettings, threads } from './sample.ts'

const warmUpTasks = 2_000

/** Tasks that do nothing, all handed over at once; until the last has returned. */
export const piscinaNoop: Sample = ({ noopJobs }) =>
  withPool(async (pool) => {
    await runAll(pool, 'noop', { n: 0 }, warmUpTasks)
    const begunAt = performance.now()
    await runAll(pool, 'noop', { n: 0 }, noopJobs)
    return { jobsPerSecond: perSecond(noopJobs, begunAt) }
  })

/** Tasks of about 5 ms. */
export const piscinaCpu: Sample = ({ cpuJobs, cpuRounds }: SampleSettings) =>
  withPool(async (pool) => {
    await runAll(pool, 'cpu', { rounds: cpuRounds }, threads * 20)
    const begunAt = performance.now()
    const seen = watchLoop()
    await runAll(pool, 'cpu', { rounds: cpuRounds }, cpuJobs)
    return { jobsPerSecond: perSecond(cpuJobs, begunAt), ...seen() }
  })

async function withPool<T>(use: (pool: Piscina) => Promise<T>): Promise<T> {
  const pool = new Piscina({
    filename: new URL('./piscina-tasks.ts', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: 1,
    atomics: 'disabled',
    recordTiming: false,
  })
  try {
    return await use(pool)
  } finally {
    await pool.destroy()
  }
}

async function runAll(pool: Piscina, name: string, input: object, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => pool.run(input, { name })))
}
