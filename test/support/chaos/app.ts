/**
 * One process of a chaos run. `app.ts <options as JSON>`: it produces, works or both, notes in the history what it was promised, and
 * obeys lines of its input: `supervisor` ends its supervisor thread; the end of the input closes the runtime.
 */
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRuntime, type JobHandle, ReeveError, type Runtime } from '../../../src/index.ts'
import { write } from '../crash/diary.ts'
import { drawsOf } from '../crash/seeded.ts'
import { SupervisorThreads } from '../runtime/supervisor-threads.ts'
import { type AppOptions, exitCodes } from './app-options.ts'
import type { HistoryLine } from './history.ts'
import type jobs from './jobs.ts'

const slow = ['waits', 'waits', 'computes', 'computes', 'lasts', 'hangs', 'exits', 'throwsLate', 'fails'] as const
/** How long a producer waits for one of its jobs before it goes on: so what waits does not grow without end. */
const patienceMs = 1_500

const options = JSON.parse(process.argv[2] ?? '{}') as AppOptions
const { history } = options
const draw = drawsOf(options.seed)
const supervisors = new SupervisorThreads()
/**
 * Node aborts a process in which a thread dies at the instant of a look into it. The runtime keeps the two apart, which a blow from
 * outside cannot: half of the processes look, the others may lose their supervisor.
 */
const inspectHangs = options.seed % 2 === 0
let enqueued = 0

async function main(): Promise<void> {
  const runtime = await createRuntime<typeof jobs>({
    database: options.database,
    jobs: new URL('./jobs.ts', import.meta.url),
    threads: options.role === 'client' ? 0 : 2,
    durability: options.durability,
    leaseDuration: '1s',
    watchdog: '3s',
    killWait: '1s',
    stopGrace: '200ms',
    inspectHangs,
  }).catch((error: unknown) => leave(exitCodes.notStarted, error))
  runtime.on('error', ({ error }) => {
    console.log(`error ${codeOf(error)}`)
    if (codeOf(error) === 'REEVE_SUPERVISOR_FAILED') leave(exitCodes.gaveUp, error)
  })
  console.log('open')
  const ended = obey(runtime)
  if (options.role === 'finisher') await finish(runtime)
  else if (options.role !== 'worker') await Promise.race([ended, produce(runtime)])
  await ended
}

async function obey(runtime: Runtime<typeof jobs>): Promise<void> {
  for await (const line of createInterface(process.stdin))
    if (line === 'supervisor' && !inspectHangs) await supervisors.killLatest()
  await runtime.close({ timeout: '1s' }).catch((error: unknown) => console.log(`error ${codeOf(error)}`))
  process.exit(0)
}

async function produce(runtime: Runtime<typeof jobs>): Promise<never> {
  for (;;) {
    await Promise.race([burst(runtime), sleep(patienceMs)])
    await sleep(draw(0, 10))
  }
}

/** Enqueues jobs and waits until one of them is over. */
async function burst(runtime: Runtime<typeof jobs>): Promise<void> {
  const list = Array.from({ length: draw(1, 60) }, () => ({
    kind: draw(0, 20) === 0 ? (slow[draw(0, slow.length - 1)] ?? 'quick') : ('quick' as const),
    input: { history, key: `${options.name}.${++enqueued}`, ms: draw(0, 30) },
  }))
  const keys = list.map(({ input }) => input.key)
  write<HistoryLine>(history, { what: 'offered', keys })
  try {
    const handles = await runtime.enqueueMany(list)
    write<HistoryLine>(
      history,
      ...handles.map(({ id }, index) => ({ what: 'acknowledged' as const, id, key: keys[index] ?? '' })),
    )
    const ends = handles.map(follow)
    await ends[draw(0, ends.length - 1)]
  } catch (error) {
    const code = codeOf(error)
    const cause = codeOf((error as Error).cause)
    write<HistoryLine>(
      history,
      code === 'REEVE_JOB_NOT_ENQUEUED' ? { what: 'refused', keys, cause } : { what: 'unclear', keys, code },
    )
    await sleep(50)
  }
}

/** Notes what is told of the job's end. Some are cancelled. */
async function follow(handle: JobHandle): Promise<void> {
  const state = await (draw(0, 40) === 0 ? cancelled(handle) : told(handle))
  if (state !== null) write<HistoryLine>(history, { what: 'told', id: handle.id, state })
}

async function cancelled(handle: JobHandle): Promise<string | null> {
  await sleep(draw(0, 20))
  const answer = await Promise.race([handle.cancel().catch(() => null), sleep(5_000, null)])
  return answer === null ? null : answer.state
}

async function told(handle: JobHandle): Promise<string | null> {
  const code = await handle.result().then(() => 'completed', codeOf)
  if (code === 'completed') return code
  const states: Record<string, string> = {
    REEVE_JOB_DISCARDED: 'discarded',
    REEVE_JOB_CANCELLED: 'cancelled',
    REEVE_JOB_NOT_FOUND: 'missing',
  }
  return states[code] ?? null
}

async function finish(runtime: Runtime<typeof jobs>): Promise<void> {
  for (;;) {
    const { ready, running } = await runtime.counts()
    if (ready + running === 0) break
    await sleep(50)
  }
  console.log('finished')
}

function codeOf(error: unknown): string {
  return error instanceof ReeveError ? error.code : String(error)
}

function leave(code: number, error: unknown): never {
  console.log(`left ${codeOf(error)}`)
  process.exit(code)
}

await main()
