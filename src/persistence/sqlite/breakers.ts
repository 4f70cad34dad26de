/** Counts how attempts end against the breaker of their kind, in the transaction of the settle; closes breakers by hand, and lists them. */
import type { Database } from 'better-sqlite3'
import { type Breaker, type BreakerChange, type BreakerState, breakerAt, breakerChange, nextBreaker } from '../../job/breaker.ts'
import type { JobState } from '../../job/state.ts'
import type { CloseBreakerAnswer, CloseBreakerCommand } from '../commands/close-breaker.ts'
import type { SettleCommand } from '../commands/settle.ts'
import { prepareTurnClock } from './claiming/turns.ts'

interface BreakerRow {
  readonly kind: string
  readonly failures: number
  readonly open_until: number | null
  readonly cooldown_ms: number | null
  readonly trial: string | null
  readonly trial_token: number | null
}

/** A breaker that is closed, with no failures, is not kept. */
const forgetSql = 'DELETE FROM reeve_breakers WHERE kind = ?'

const closed: BreakerState = { failures: 0, open: null }

/** Prepares the count for a connection: of a settle that took effect and led to `state`. */
export function prepareBreakers(db: Database): (command: SettleCommand, state: JobState) => { readonly breaker?: BreakerChange } {
  const read = db.prepare<[string], BreakerRow>('SELECT * FROM reeve_breakers WHERE kind = ?')
  const forget = db.prepare(forgetSql)
  // An open breaker has had no trial yet; one that stays closed has none.
  const write = db.prepare(`
    INSERT INTO reeve_breakers (kind, failures, open_until, cooldown_ms) VALUES (@kind, @failures, @until, @cooldownMs)
    ON CONFLICT DO UPDATE SET failures = excluded.failures, open_until = excluded.open_until, cooldown_ms = excluded.cooldown_ms,
      trial = NULL, trial_token = NULL
  `)
  const turnClock = prepareTurnClock(db)
  return ({ breaker: settings, settlement, lease, now }, state) => {
    if (settings === undefined) return {}
    const failed = settlement.type === 'fail' && (state === 'ready' || state === 'discarded')
    if (!failed && state !== 'completed') return {}
    const { kind } = settings
    const row = read.get(kind)
    const was = row === undefined ? closed : stateOf(row)
    const isTrial = row?.trial === lease.jobId && row.trial_token === lease.token
    const is = nextBreaker(was, settings, { failed, isTrial, now })
    if (is === was || (row === undefined && !failed)) return {}
    if (is.open !== null) turnClock.keep(now)
    if (is.failures === 0) forget.run(kind)
    else write.run({ kind, failures: is.failures, until: is.open?.until ?? null, cooldownMs: is.open?.cooldownMs ?? null })
    const change = breakerChange(was, is)
    return change === null ? {} : { breaker: change }
  }
}

/** Prepares the command for a connection. A trial that is under way says nothing any more: its row is not there. */
export function prepareCloseBreaker(db: Database): (command: CloseBreakerCommand) => CloseBreakerAnswer {
  const forget = db.prepare(forgetSql)
  return ({ kind }) => {
    forget.run(kind)
    return { type: 'breaker-closed' }
  }
}

/** Prepares the list of the breakers that have a failure to tell of, by kind. */
export function prepareBreakerList(db: Database): (now: number) => Breaker[] {
  const list = db.prepare<[], BreakerRow>('SELECT * FROM reeve_breakers ORDER BY kind')
  return (now) => list.all().map((row) => breakerAt(row.kind, stateOf(row), now))
}

function stateOf({ failures, open_until: until, cooldown_ms: cooldownMs }: BreakerRow): BreakerState {
  return { failures, open: until === null || cooldownMs === null ? null : { until, cooldownMs } }
}
