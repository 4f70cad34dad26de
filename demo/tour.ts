/** The tour: many files on all cores, three jobs that do not behave among them, and an app thread that stays free. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { misbehave } from './misbehave.ts'
import { openRuntime, type RuntimeChoices } from './open-runtime.ts'
import { showProgress } from './progress.ts'
import { digestTable, loopDelayLine, misbehaviourTable } from './tables.ts'

/** What the tour works on. */
export interface Tour extends RuntimeChoices {
  readonly database: string
  readonly folder: string
  readonly files: readonly string[]
}

/** Runs the jobs and prints what came of them. Returns the exit code. */
export async function tour({ database, folder, files, ...choices }: Tour): Promise<number> {
  await using runtime = await openRuntime(database, choices)
  const { threads } = await runtime.load()
  console.log(`${files.length} files of ${folder}, one job each, on ${threads} worker threads`)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const begunAt = performance.now()
  const misbehaved = misbehave(runtime)
  misbehaved.catch(() => {}) // It is awaited below; a close before that must not end the process.

  const handles = await runtime.enqueueMany(files.map((file) => ({ kind: 'digest' as const, input: { file } })))
  console.log(`All are on the disk after ${(performance.now() - begunAt).toFixed(0)} ms.`)
  const progress = showProgress(files.length)
  const digests = await Promise.all(
    handles.map(async (handle) => {
      const digest = await handle.result()
      progress.done()
      return digest
    }),
  ).finally(() => progress.stop())
  const misbehaviours = await misbehaved
  const seconds = (performance.now() - begunAt) / 1e3
  delay.disable()
  console.log(`\n${digestTable(digests, folder)}\n\nJobs that did not behave:\n${misbehaviourTable(misbehaviours)}\n`)
  console.log(`${files.length + misbehaviours.length} jobs in ${seconds.toFixed(1)} s. ${loopDelayLine(delay)}`)
  return 0
}
