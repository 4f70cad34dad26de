/** Reeve itself, from the app's thread, as a user calls it. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRuntime, type Durability, type Runtime } from 'reeve'
import type jobs from '../jobs.ts'
import { quantile } from '../statistics.ts'
import { watchLoop } from './loop-delay.ts'
import { perSecond, type Sample, type SampleSettings, threads } from './sample.ts'

type BenchRuntime = Runtime<typeof jobs>

const warmUpJobs = 2_000
/** Long enough for the queue to be idle again, on every thread. */
const gapMs = 4

/** From the call of `enqueueMany` until every `handle.result()` has resolved. */
export const reeveNoop =
  (durability: Durability): Sample =>
  (settings) =>
    withRuntime(settings, durability, async (runtime) => {
      await runNoops(runtime, warmUpJobs)
      const begunAt = performance.now()
      await runNoops(runtime, settings.noopJobs)
      return { jobsPerSecond: perSecond(settings.noopJobs, begunAt) }
    })

/** The same jobs, counted by the event `completed`: no handle is waited for. */
export const reeveNoopByEvents =
  (durability: Durability): Sample =>
  (settings) =>
    withRuntime(settings, durability, async (runtime) => {
      await runNoops(runtime, warmUpJobs)
      const { promise: allCompleted, resolve } = Promise.withResolvers<void>()
      let left = settings.noopJobs
      runtime.on('completed', () => {
        if (--left === 0) resolve()
      })
      const begunAt = performance.now()
      await runtime.enqueueMany(noops(settings.noopJobs))
      await allCompleted
      return { jobsPerSecond: perSecond(settings.noopJobs, begunAt) }
    })

/** One job at a time on an idle queue: from the call of `enqueue` to the first line of the handler. */
export const reeveLatency =
  (durability: Durability): Sample =>
  (settings) =>
    withRuntime(settings, durability, async (runtime) => {
      await runNoops(runtime, warmUpJobs)
      const toStart: number[] = []
      const toAcknowledgement: number[] = []
      for (let n = 0; n < settings.latencyJobs; n++) {
        await sleep(gapMs)
        const calledAt = Number(process.hrtime.bigint()) / 1e6
        const handle = await runtime.enqueue('startedAt', { n })
        toAcknowledgement.push(Number(process.hrtime.bigint()) / 1e6 - calledAt)
        toStart.push((await handle.result()) - calledAt)
      }
      return {
        startP50Ms: quantile(toStart, 0.5),
        startP99Ms: quantile(toStart, 0.99),
        acknowledgedP50Ms: quantile(toAcknowledgement, 0.5),
        acknowledgedP99Ms: quantile(toAcknowledgement, 0.99),
      }
    })

/** Jobs of about 5 ms, and the delay of the app thread's event loop meanwhile. */
export const reeveCpu =
  (durability: Durability): Sample =>
  (settings) =>
    withRuntime(settings, durability, async (runtime) => {
      const { cpuJobs, cpuRounds } = settings
      await runCpus(runtime, threads * 20, cpuRounds)
      const begunAt = performance.now()
      const seen = watchLoop()
      await runCpus(runtime, cpuJobs, cpuRounds)
      return { jobsPerSecond: perSecond(cpuJobs, begunAt), ...seen() }
    })

async function withRuntime<T>(
  settings: SampleSettings,
  durability: Durability,
  use: (runtime: BenchRuntime) => Promise<T>,
): Promise<T> {
  await using runtime = await createRuntime<typeof jobs>({
    database: join(settings.folder, 'reeve.db'),
    jobs: new URL('../jobs.ts', import.meta.url),
    threads,
    durability,
  })
  return await use(runtime)
}

function noops(count: number) {
  return Array.from({ length: count }, (_, n) => ({ kind: 'noop' as const, input: { n } }))
}

async function runNoops(runtime: BenchRuntime, count: number): Promise<void> {
  const handles = await runtime.enqueueMany(noops(count))
  await Promise.all(handles.map((handle) => handle.result()))
}

async function runCpus(runtime: BenchRuntime, count: number, rounds: number): Promise<void> {
  const handles = await runtime.enqueueMany(Array.from({ length: count }, () => ({ kind: 'cpu' as const, input: { rounds } })))
  await Promise.all(handles.map((handle) => handle.result()))
}
