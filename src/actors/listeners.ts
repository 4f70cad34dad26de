/** Several listeners of a dispatcher as one. */
import type { DispatchListener } from './dispatch-listener.ts'

/** Tells each of them, in order. */
export function tellAll(listeners: readonly Partial<DispatchListener>[]): DispatchListener {
  return {
    started(attempt) {
      for (const listener of listeners) listener.started?.(attempt)
    },
    progress(attempt, fraction, note) {
      for (const listener of listeners) listener.progress?.(attempt, fraction, note)
    },
    log(attempt, record) {
      for (const listener of listeners) listener.log?.(attempt, record)
    },
    condemned(attempt) {
      for (const listener of listeners) listener.condemned?.(attempt)
    },
    settled(attempt, answer, settlement) {
      for (const listener of listeners) listener.settled?.(attempt, answer, settlement)
    },
    handedBack(job, answer) {
      for (const listener of listeners) listener.handedBack?.(job, answer)
    },
  }
}
