/**
 * Pauses. Of a queue or a kind a row is enough: a claim reads it. A group may be one of many thousands, so its pause stands on its
 * lanes, too; the row is for the lanes that are made later.
 */
import type { Database } from 'better-sqlite3'
import type { Pause, PauseTarget } from '../../job/pause.ts'
import type { PauseAnswer, PauseCommand, ResumeAnswer, ResumeCommand } from '../commands/pause.ts'
import { prepareTurnClock } from './claiming/turns.ts'

/** What stands for ever in a column of times. */
const foreverMs = 9e15

interface PauseColumns {
  readonly scope: 'kind' | 'queue' | 'group'
  readonly queue: string
  readonly name: string
}

/** Prepares the command for a connection. */
export function preparePause(db: Database): (command: PauseCommand) => PauseAnswer {
  const write = db.prepare(`
    INSERT INTO reeve_pauses (scope, queue, name, until, reason) VALUES (@scope, @queue, @name, @until, @reason)
    ON CONFLICT DO UPDATE SET until = excluded.until, reason = excluded.reason, delay_ms = NULL
  `)
  const holdLanes = prepareHoldLanes(db)
  return ({ target, until, reason }) => {
    const columns = columnsOf(target)
    write.run({ ...columns, until, reason })
    if (columns.scope === 'group') holdLanes(columns, until ?? foreverMs)
    return { type: 'paused' }
  }
}

/** Prepares the command for a connection. */
export function prepareResume(db: Database): (command: ResumeCommand) => ResumeAnswer {
  const remove = db.prepare('DELETE FROM reeve_pauses WHERE scope = @scope AND queue = @queue AND name = @name')
  const holdLanes = prepareHoldLanes(db)
  return ({ target }) => {
    const columns = columnsOf(target)
    const { changes } = remove.run(columns)
    // What a rate holds back is met again.
    if (changes === 1 && columns.scope === 'group') holdLanes(columns, 0)
    return { type: 'resumed' }
  }
}

/** What a handler asked for: a queue or a group is held back for a time, counted from now. */
export interface Holdback {
  readonly target: PauseTarget
  readonly now: number
  readonly delayMs: number
  readonly reason: string
}

/** Prepares the holding back for a connection. It makes no pause shorter that is there. */
export function prepareHoldback(db: Database): (holdback: Holdback) => void {
  const write = db.prepare<PauseColumns & { now: number; delayMs: number; reason: string }, { until: number | null }>(`
    INSERT INTO reeve_pauses (scope, queue, name, until, delay_ms, reason)
    VALUES (@scope, @queue, @name, @now + @delayMs, @delayMs, @reason)
    ON CONFLICT DO UPDATE SET until = excluded.until, delay_ms = excluded.delay_ms, reason = excluded.reason
      WHERE until IS NOT NULL AND until < excluded.until
  `)
  const holdLanes = prepareHoldLanes(db)
  const turnClock = prepareTurnClock(db)
  return ({ target, now, delayMs, reason }) => {
    turnClock.keep(now)
    const columns = columnsOf(target)
    const { changes } = write.run({ ...columns, now, delayMs: Math.ceil(delayMs), reason })
    if (changes === 1 && columns.scope === 'group') holdLanes(columns, now + Math.ceil(delayMs))
  }
}

/** Prepares the list of what is paused. */
export function preparePauses(db: Database): (now: number) => Pause[] {
  const list = db.prepare<[number], PauseColumns & { until: number | null; reason: string | null }>(
    'SELECT scope, queue, name, until, reason FROM reeve_pauses WHERE until IS NULL OR until > ? ORDER BY scope, queue, name',
  )
  return (now) => list.all(now).map(({ until, reason, ...columns }) => ({ target: targetOf(columns), until, reason }))
}

function prepareHoldLanes(db: Database): (group: PauseColumns, until: number) => void {
  const hold = db.prepare('UPDATE reeve_lanes SET blocked_until = ? WHERE queue = ? AND grp = ?')
  return ({ queue, name }, until) => void hold.run(until, queue, name)
}

function columnsOf(target: PauseTarget): PauseColumns {
  if ('kind' in target) return { scope: 'kind', queue: '', name: target.kind }
  if ('group' in target) return { scope: 'group', queue: target.queue, name: target.group }
  return { scope: 'queue', queue: '', name: target.queue }
}

function targetOf({ scope, queue, name }: PauseColumns): PauseTarget {
  if (scope === 'kind') return { kind: name }
  return scope === 'queue' ? { queue: name } : { queue, group: name }
}
