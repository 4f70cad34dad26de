/**
 * Time, injected. Nothing else in the runtime reads a clock or schedules itself, so a test that passes
 * its own Clock decides the order of everything. `wall` is for what is stored, `mono` for what is measured.
 */

/** A timer that was armed and can be disarmed. Disarming twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void
}

/** The only source of time and of "later" for every service of the supervisor thread. */
export interface Clock {
  /** Milliseconds since the Unix epoch. It may jump in both directions. */
  wall(): number
  /** Milliseconds that only grow. It stands still while a Linux or macOS machine sleeps. */
  mono(): number
  /** Calls `fire` once after `ms` (at least one turn; values past 24 days are cut: re-arm). */
  after(ms: number, fire: () => void): Timer
  /** Calls `run` in the next turn of the event loop, after all messages that are already in. */
  nextTurn(run: () => void): void
}

/** The longest delay that a Node timer keeps; longer ones fire at once. */
const delayMaxMs = 2 ** 31 - 1

/** Monotonic milliseconds, on one base for all threads of the process (`performance.now` has one a thread). */
export function monoNow(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** The real clock. Its timers keep the thread alive only when `ref` is true (default). */
export function realClock({ ref = true }: { ref?: boolean } = {}): Clock {
  return {
    wall: () => Date.now(),
    mono: monoNow,
    after(ms, fire) {
      const timer = setTimeout(fire, Math.min(Math.max(ms, 0), delayMaxMs))
      if (!ref) timer.unref()
      return { cancel: () => clearTimeout(timer) }
    },
    nextTurn: (run) => void setImmediate(run),
  }
}

/** How far apart the beats of a coarse clock are. A job that another process enqueued waits for one beat at most. */
const beatMs = 40

/**
 * A clock whose timers fire together: each may be up to half a beat early or late, to come with another one. It is for all that
 * looks around again and again: to wake an idle process costs far more than any of the looks.
 */
export function coarseClock(clock: Clock): Clock {
  const armed = new Set<{ readonly at: number; readonly fire: () => void }>()
  let next: { readonly at: number; readonly timer: Timer } | null = null
  const beat = () => {
    next = null
    const now = clock.mono() + beatMs / 2
    for (const timer of armed) {
      if (timer.at > now) continue
      armed.delete(timer)
      timer.fire()
    }
    keepBeating()
  }
  const keepBeating = () => {
    if (armed.size === 0) return
    const at = Math.min(...[...armed].map((timer) => timer.at))
    if (next !== null && next.at <= at + beatMs / 2) return
    next?.timer.cancel()
    next = { at, timer: clock.after(at - clock.mono(), beat) }
  }
  return {
    ...clock,
    after(ms, fire) {
      const timer = { at: clock.mono() + ms, fire }
      armed.add(timer)
      keepBeating()
      return { cancel: () => void armed.delete(timer) }
    },
  }
}
