/**
 * The time of turns. It only grows, over all connections, so that the group that was served longest ago is known; and it tells
 * when the wall clock was set back. What was written before then lies in the future and must not hold anything up until
 * then: it is cut to what it would be if it had been written now. A time that somebody named is left as it is.
 */
import type { Database } from 'better-sqlite3'

/** A turn takes so long: a thousand have room in a millisecond. */
const turnMs = 0.001
const withinMs = 1 - turnMs / 10
/** A clock that went back by more is made good; by less it is waited for. */
const backMaxMs = 1_000

/** Until when the pause of a lane's group lasts; 0 where there is none. */
export const pausedUntil = `coalesce((SELECT coalesce(until, 9e15) FROM reeve_pauses
  WHERE scope = 'group' AND reeve_pauses.queue = reeve_lanes.queue AND name = grp), 0)`

/** The turns of one claim. */
export class Turns {
  readonly now: number
  #latest: number

  constructor(now: number, latest: number) {
    this.now = now
    this.#latest = latest
  }

  /** The time of the next turn of a group. */
  next(): number {
    this.#latest = Math.max(this.now, this.#latest + turnMs)
    return this.#latest
  }

  /** Up to when a lane counts as due: up to every turn there was, for a turn is no reason to wait. */
  get horizon(): number {
    return Math.max(this.now + withinMs, this.#latest)
  }

  /** The latest time that is written. */
  get latest(): number {
    return Math.max(this.#latest, this.now)
  }
}

/** Keeps the time of turns. */
export interface TurnClock {
  /** A claim begins; a clock that was set back is made good before anything else is read. */
  begin(now: number): Turns
  /** Something was written with a time of up to `latest`. */
  keep(latest: number): void
}

/** Prepares the clock for a connection. The cut reads all lanes. */
export function prepareTurnClock(db: Database): TurnClock {
  const read = db.prepare<[], number>('SELECT latest FROM reeve_turns WHERE id = 1').pluck()
  const write = db.prepare('UPDATE reeve_turns SET latest = ? WHERE id = 1 AND latest < ?')
  const cuts = [
    'UPDATE reeve_turns SET latest = @now',
    'UPDATE reeve_lanes SET served = @now WHERE served > @now',
    'UPDATE reeve_pauses SET until = @now + delay_ms WHERE delay_ms IS NOT NULL AND until > @now + delay_ms',
    'UPDATE reeve_breakers SET open_until = @now + cooldown_ms WHERE open_until > @now + cooldown_ms',
    'UPDATE reeve_rate_hits SET at = @now WHERE at > @now',
    // By a pause or a rate; a rate is met again.
    `UPDATE reeve_lanes SET blocked_until = ${pausedUntil} WHERE blocked_until > @now`,
  ].map((sql) => db.prepare(sql))
  return {
    begin(now) {
      const latest = read.get() ?? 0
      if (latest <= now + backMaxMs) return new Turns(now, latest)
      for (const cut of cuts) cut.run({ now })
      return new Turns(now, now)
    },
    keep: (latest) => void write.run(latest, latest),
  }
}
