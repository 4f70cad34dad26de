/** Kills a process with SIGKILL in the middle of its jobs, starts another one, and checks what came of every job. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createRuntime, type JobState } from 'reeve'
import type { RuntimeChoices } from './open-runtime.ts'
import { acknowledgedIds, sessionFiles, startedIds } from './session.ts'
import { judge } from './verdict.ts'

/** What to work on, and where. */
export interface Crash extends RuntimeChoices {
  readonly folder: string
  readonly session: string
}

const interrupted = 130

/** Tells the story and returns the exit code: 0 where every promise held. */
export async function crash(options: Crash): Promise<number> {
  const { session } = options
  process.on('SIGINT', () => {}) // The process that works closes its runtime, and its exit ends this one.
  console.log('A process begins, and is killed with SIGKILL when half of its jobs are done:')
  const first = await work(options, 0.5)
  if (first !== 'SIGKILL') return first === interrupted ? interrupted : notKilled(first)
  const startedBefore = startedIds(session)
  const statesAtKill = await readStates(session)
  const count = (wanted: JobState) => [...statesAtKill.values()].filter((state) => state === wanted).length
  console.log(`\nKilled. In the database: ${count('completed')} completed, ${statesAtKill.size - count('completed')} not.`)

  console.log('\nThe same program is started again on the same database:')
  const second = await work(options)
  if (second !== 0) return second === interrupted ? interrupted : notKilled(second)
  const startedAfter = startedIds(session).slice(startedBefore.length)
  const { good, lines } = judge({ statesAtKill, statesAtEnd: await readStates(session), startedBefore, startedAfter })
  console.log(`\n${lines.join('\n')}`)
  return good ? 0 : 1
}

function notKilled(end: number | string | null): number {
  console.log(`VERDICT: none. The process ended with ${end} before the demo was through.`)
  return 1
}

/** Runs a process that works; past `killAt` (a part of its jobs) it is killed. Resolves with its signal or its exit code. */
async function work(
  { folder, session, threads, durability }: Crash,
  killAt = Number.POSITIVE_INFINITY,
): Promise<number | string | null> {
  const options = { folder, session, threads, durability }
  const given = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]))
  const child = fork(fileURLToPath(new URL('./main.ts', import.meta.url)), given)
  child.on('message', ({ done, of }: { readonly done: number; readonly of: number }) => {
    if (done >= of * killAt) child.kill('SIGKILL')
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return signal ?? code
}

/** The state of each acknowledged job, read by a runtime that runs nothing. */
async function readStates(session: string): Promise<ReadonlyMap<string, JobState | 'lost'>> {
  await using runtime = await createRuntime({ database: sessionFiles(session).database, threads: 0 })
  const states = new Map<string, JobState | 'lost'>()
  for (const id of acknowledgedIds(session)) states.set(id, (await runtime.get(id))?.state ?? 'lost')
  return states
}
