/**
 * Events that came before their wait. Each wait takes the oldest one that it matches and that no wait of its job has taken yet;
 * of events, those that were emitted after the job was enqueued.
 */
import type { Database } from 'better-sqlite3'
import type { StoredPayload } from '../../job/payload.ts'
import { payloadToColumn } from './job-columns.ts'

interface EventRow {
  readonly seq: number
  readonly payload: StoredPayload
}

interface WaitRow {
  readonly seq: number
  readonly event: string
  readonly match_key: string | null
}

/** Prepares the end of those waits of a job, in their own order, that an event is kept for. */
export function prepareBacklog(db: Database): (job: number, now: number) => void {
  const waits = db.prepare<[number], WaitRow>(`
    SELECT seq, event, match_key FROM reeve_steps INDEXED BY reeve_steps_waiting
    WHERE job = ? AND state = 'waiting' AND event IS NOT NULL ORDER BY seq
  `)
  const oldest = prepareOldest(db)
  const end = prepareEndByEvent(db)
  return (job, now) => {
    for (const { seq, event, match_key } of waits.all(job)) {
      const found = oldest(job, event, match_key)
      if (found !== undefined) end(seq, found.seq, found.payload, now)
    }
  }
}

/** Prepares the end of a wait by an event. */
export function prepareEndByEvent(db: Database): (step: number, event: number, payload: StoredPayload, now: number) => void {
  const end = db.prepare(`UPDATE reeve_steps SET state = 'ended', ended_at = ?, taken = ?, value = ? WHERE seq = ?`)
  return (step, event, payload, now) => void end.run(now, event, payloadToColumn(payload), step)
}

function prepareOldest(db: Database): (job: number, event: string, match: string | null) => EventRow | undefined {
  const notTaken = 'NOT EXISTS (SELECT 1 FROM reeve_steps WHERE job = @job AND taken = reeve_emitted.seq)'
  const first = 'ORDER BY after_job, seq LIMIT 1'
  type Asked = { readonly job: number; readonly event: string }
  const any = db.prepare<Asked, EventRow>(`
    SELECT seq, payload FROM reeve_emitted INDEXED BY reeve_emitted_event
    WHERE event = @event AND job IS NULL AND after_job >= @job AND ${notTaken} ${first}
  `)
  const withKey = db.prepare<Asked & { readonly match: string }, EventRow>(`
    SELECT seq, payload FROM reeve_emitted INDEXED BY reeve_emitted_key
    WHERE event = @event AND key = @match AND key IS NOT NULL AND job IS NULL AND after_job >= @job AND ${notTaken} ${first}
  `)
  const signal = db.prepare<Asked, EventRow>(`
    SELECT seq, payload FROM reeve_emitted INDEXED BY reeve_emitted_signal
    WHERE job = @job AND job IS NOT NULL AND event = @event AND ${notTaken} ORDER BY seq LIMIT 1
  `)
  return (job, event, match) => {
    const emitted = match === null ? any.get({ job, event }) : withKey.get({ job, event, match })
    const signalled = signal.get({ job, event })
    if (emitted === undefined || signalled === undefined) return emitted ?? signalled
    return emitted.seq < signalled.seq ? emitted : signalled
  }
}
