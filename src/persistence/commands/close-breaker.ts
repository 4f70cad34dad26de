/** Closing a circuit breaker by hand: the command, and its answer. */

/** The breaker of the kind is closed, and its count begins anew; where there is nothing to close it does nothing. */
export interface CloseBreakerCommand {
  readonly type: 'close-breaker'
  readonly kind: string
}
/** It is closed. */
export interface CloseBreakerAnswer {
  readonly type: 'breaker-closed'
}
