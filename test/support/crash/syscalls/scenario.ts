/**
 * The short life that every write and sync of is made to fail: a new file is opened, jobs are enqueued, claimed, settled and
 * put back, the log is folded, the file closed. The diary, which no fault touches, says what was acknowledged.
 */
import { ReeveError } from '../../../../src/errors.ts'
import type { OwnerId } from '../../../../src/job/lease.ts'
import type { Settlement } from '../../../../src/job/outcome.ts'
import type { ClaimedJob } from '../../../../src/persistence/commands/claim.ts'
import type { AnswerTo, Command } from '../../../../src/persistence/commands/command.ts'
import { openSqliteStore } from '../../../../src/persistence/sqlite/open.ts'
import { holdPresence } from '../../../../src/persistence/sqlite/presence.ts'
import type { Durability, Store } from '../../../../src/persistence/store.ts'
import { ask, claim, complete, enqueue, fail, interrupted, newJob, settle } from '../../store/commands.ts'
import { write } from '../diary.ts'

/** More than a page, so that it spills to pages of its own. */
const large = JSON.stringify('x'.repeat(20_000))

/** What a scenario is played on. */
export interface Stage {
  readonly database: string
  readonly diary: string
  readonly durability: Durability
  readonly owner: OwnerId
  /** Called once the file is open. */
  readonly opened?: () => void
}

/** Plays it to the end, or to where the database cannot even be opened. Trouble with the disk is expected and goes into the diary. */
export async function play(stage: Stage): Promise<void> {
  const store = orNull(() => openSqliteStore(stage))
  if (store === null) return
  const presence = orNull(() => holdPresence(stage))
  stage.opened?.()
  await act(store, stage)
  orNull(() => presence?.release())
  await store.close()
}

async function act(store: Store, stage: Stage): Promise<void> {
  await accept(store, stage, 'a', 'b', 'c')
  const [a, b, c] = await take(store, stage, 3)
  await end(store, stage, a, complete)
  await end(store, stage, b, fail())
  await accept(store, stage, 'large')
  await store.checkpoint().catch(expected)
  await end(store, stage, c, interrupted)
  await accept(store, stage, 'd')
  const [again, other] = await take(store, stage, 2)
  await end(store, stage, again, complete)
  await end(store, stage, other, { type: 'discard', error: { name: 'Error', message: 'no' } })
}

/** Runs a command as the committer does: one whose outcome is unknown comes again, as repeated. */
async function commit<C extends Command>(store: Store, command: C): Promise<AnswerTo<C> | 'refused' | 'unknown'> {
  let repeated = false
  for (let tries = 0; tries < 3; tries++) {
    try {
      return await ask(store, command, repeated)
    } catch (error) {
      expected(error)
      if ((error as ReeveError).code !== 'REEVE_COMMIT_UNKNOWN') return repeated ? 'unknown' : 'refused'
      repeated = true
    }
  }
  return 'unknown'
}

async function accept(store: Store, { diary }: Stage, ...names: readonly string[]): Promise<void> {
  const jobs = names.map((name) => newJob(name, name === 'large' ? { input: large } : {}))
  const answer = await commit(store, enqueue(...jobs))
  if (answer === 'refused') write(diary, ...names.map((id) => ({ what: 'refused' as const, id })))
  else if (answer !== 'unknown') write(diary, ...names.map((id) => ({ what: 'acknowledged' as const, id, kind: 'resize' })))
}

async function take(store: Store, { owner }: Stage, limit: number): Promise<readonly ClaimedJob[]> {
  const answer = await commit(store, claim({ owner, limit }))
  return typeof answer === 'string' ? [] : answer.jobs
}

async function end(store: Store, { diary }: Stage, job: ClaimedJob | undefined, settlement: Settlement): Promise<void> {
  if (job === undefined) return
  const { id, token } = job
  const answer = await commit(store, settle({ jobId: id, token }, settlement))
  if (typeof answer === 'string') return
  // Its own lease, not settled before: nothing but a fault of the store can call it stale.
  write(diary, { what: 'settled', id, token, state: answer.type === 'settled' ? answer.state : 'stale' })
}

function orNull<T>(work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    expected(error)
    return null
  }
}

function expected(error: unknown): void {
  if (!(error instanceof ReeveError)) throw error
}
