/** The stream of events: begun, ended and cut at its old end. What is there already is done again to no effect. */
import type { Database } from 'better-sqlite3'
import type { KeepEventsAnswer, KeepEventsCommand } from '../commands/keep-events.ts'
import type { PruneEventsAnswer, PruneEventsCommand } from '../commands/prune-events.ts'
import { eventTriggers } from './event-triggers.ts'

/** Prepares the beginning and the end of the stream for a connection. */
export function prepareKeepEvents(db: Database): (command: KeepEventsCommand) => KeepEventsAnswer {
  const textOf = db.prepare<[string], string>("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?").pluck()
  // What happened while the stream was off is not in it: one number stands for that, and counts as pruned.
  const skip = db.prepare(
    "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'reeve_events' AND NOT EXISTS (SELECT 1 FROM reeve_event_log)",
  )
  const begin = db.prepare(`
    INSERT INTO reeve_event_log (id, max_count, max_age_ms, pruned_through)
    VALUES (1, @maxCount, @maxAgeMs, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'reeve_events'), 0))
    ON CONFLICT (id) DO UPDATE SET max_count = @maxCount, max_age_ms = @maxAgeMs
  `)
  const end = db.prepare('DELETE FROM reeve_event_log')
  return ({ limits }) => {
    for (const [name, sql] of Object.entries(eventTriggers)) {
      const wanted = limits === null ? undefined : sql
      const present = textOf.get(name)
      if (present === wanted) continue
      if (present !== undefined) db.exec(`DROP TRIGGER ${name}`)
      if (wanted !== undefined) db.exec(wanted)
    }
    if (limits === null) end.run()
    else {
      skip.run()
      begin.run(limits)
    }
    return { type: 'events-kept' }
  }
}

/** Prepares the pruning for a connection. */
export function preparePruneEvents(db: Database): (command: PruneEventsCommand) => PruneEventsAnswer {
  const forget = db.prepare('DELETE FROM reeve_events WHERE seq <= ?')
  const note = db.prepare('UPDATE reeve_event_log SET pruned_through = max(pruned_through, ?)')
  return ({ through }) => {
    forget.run(through)
    note.run(through)
    return { type: 'events-pruned' }
  }
}
