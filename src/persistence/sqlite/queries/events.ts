/** The stream of events, read by ranges of its own key. */
import type { Database } from 'better-sqlite3'
import type { QueueEventError } from '../../../job/queue-event.ts'
import type { EventsPage, EventsQuery, StoredEvent } from '../../event-log.ts'

/** The statements, exported so that a test can hold their plans against the promise above. */
export const eventsSql = {
  behind: `SELECT seq, at, type, job AS jobId, kind, queue, attempt, token, run_at AS runAt, error FROM reeve_events
    WHERE seq > @after ORDER BY seq LIMIT @limit`,
  // The oldest ones only, and as many of them as one commit may well forget.
  tooOld: `SELECT max(seq) FROM (SELECT seq, at FROM reeve_events ORDER BY seq LIMIT @limit) WHERE seq <= @upTo OR at < @before`,
} as const

type EventColumns = Omit<StoredEvent, 'error'> & { readonly error: string | null }

interface LogState {
  readonly maxCount: number
  readonly maxAgeMs: number | null
  readonly prunedThrough: number
}

/** What can be asked of the stream. */
export interface EventQueries {
  /** Null where the stream is off. */
  events(query: EventsQuery): EventsPage | null
  /** The last of the events that are to be forgotten next, or null: where the stream is off, all of them are. */
  oldEvents(now: number, limit: number): number | null
}

/** Prepares the queries for a connection. */
export function prepareEvents(db: Database): EventQueries {
  const state = db.prepare<[], LogState>(
    'SELECT max_count AS maxCount, max_age_ms AS maxAgeMs, pruned_through AS prunedThrough FROM reeve_event_log',
  )
  const last = db.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'reeve_events'").pluck()
  const behind = db.prepare<{ after: number; limit: number }, EventColumns>(eventsSql.behind)
  const tooOld = db.prepare<{ limit: number; upTo: number; before: number }, number | null>(eventsSql.tooOld).pluck()
  return {
    events({ after, types, limit }) {
      const log = state.get()
      if (log === undefined) return null
      const end = last.get() ?? 0
      if (after === 'end') return { events: [], cursor: end, isPruned: false, hasMore: false }
      const place = after === 'start' ? log.prunedThrough : after
      const rows = behind.all({ after: place, limit })
      const cursor = rows.at(-1)?.seq ?? place
      const events = rows.filter(({ type }) => types === null || types.includes(type)).map(storedEvent)
      return { events, cursor, isPruned: place < log.prunedThrough, hasMore: cursor < end && rows.length > 0 }
    },
    oldEvents(now, limit) {
      const log = state.get()
      const upTo = log === undefined ? Number.MAX_SAFE_INTEGER : (last.get() ?? 0) - log.maxCount
      const before = log?.maxAgeMs == null ? 0 : now - log.maxAgeMs
      return tooOld.get({ limit, upTo, before }) ?? null
    },
  }
}

function storedEvent({ error, ...event }: EventColumns): StoredEvent {
  return { ...event, error: error === null ? null : (JSON.parse(error) as QueueEventError) }
}
