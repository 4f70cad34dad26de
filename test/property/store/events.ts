/** The stream of events, held against the rows: one event for each change of a state, and none for anything else. */
import { isDeepStrictEqual } from 'node:util'
import type { Database } from 'better-sqlite3'
import type { QueueEventType } from '../../../src/job/queue-event.ts'
import { isTerminal } from '../../../src/job/state.ts'
import type { Command } from '../../../src/persistence/commands/command.ts'
import type { JobRow } from '../../../src/persistence/job-row.ts'

/** An event as far as the rows tell of it. */
export interface WrittenEvent {
  readonly seq: number
  readonly type: string
  readonly job: string
  readonly attempt: number
  readonly token: number
}

/** What the stream says of a file. */
interface Written {
  lastEvent(): number
  /** Null where the stream is off. */
  events(after: number): readonly WrittenEvent[] | null
}

/** Reads the stream of events. */
export function prepareWritten(db: Database): Written {
  const on = db.prepare('SELECT 1 FROM reeve_event_log')
  const events = db.prepare<[number], WrittenEvent>(
    'SELECT seq, type, job, attempt, token FROM reeve_events WHERE seq > ? ORDER BY seq',
  )
  const last = db.prepare<[], number | null>('SELECT max(seq) FROM reeve_events').pluck()
  return { lastEvent: () => last.get() ?? 0, events: (after) => (on.get() === undefined ? null : events.all(after)) }
}

/** Whether the events of a command alone in its commit are not those of what it did to the rows. */
export function eventsAreWrong(
  command: Command,
  before: readonly JobRow[],
  after: readonly JobRow[],
  written: readonly WrittenEvent[],
): boolean {
  const rows = new Map(before.map((row) => [row.id, row]))
  const now = new Set(after.map(({ id }) => id))
  const changed = after.map((is) => [typeOf(command, rows.get(is.id), is), is] as const)
  // Enqueued after a job that had failed: it came to its end in the same moment.
  const bornOver = after.filter(({ id, state }) => !rows.has(id) && isTerminal(state)).map((is) => [is.state, is] as const)
  const gone = before.filter(({ id, state }) => !now.has(id) && !isTerminal(state)).map((was) => ['deleted', was] as const)
  // What is done by hand to one may let another go, or end it, before it is done to that one too: the rows do not show it.
  const between = new Set<string>(command.type === 'steer' ? before.filter(isSuspended).map(({ id }) => id) : [])
  const expected = [...changed, ...bornOver, ...gone].filter(([type, { id }]) => type !== null && !between.has(id))
  const told = (type: string | null, job: string, attempt: number, token: number) => `${job} ${type} ${attempt} ${token}`
  return !isDeepStrictEqual(
    expected.map(([type, { id, attempt, token }]) => told(type, id, attempt, token)).toSorted(),
    written
      .filter(({ job }) => !between.has(job))
      .map(({ type, job, attempt, token }) => told(type, job, attempt, token))
      .toSorted(),
  )
}

const isSuspended = ({ state }: JobRow): boolean => state === 'suspended'

function typeOf(command: Command, was: JobRow | undefined, is: JobRow): QueueEventType | null {
  if (was === undefined) return 'enqueued'
  if (was.state === is.state) return null
  if (is.state === 'running') return 'claimed'
  if (is.state !== 'ready') return is.state
  if (isTerminal(was.state)) return 'retried'
  if (was.state === 'parked') return 'reopened'
  if (was.state === 'suspended') return 'woken'
  if (command.type === 'reclaim') return 'reclaimed'
  if (command.type === 'settle' && command.settlement.type === 'fail') return 'retrying'
  return is.runAt > was.runAt ? 'snoozed' : 'interrupted'
}
