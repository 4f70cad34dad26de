/** Key-value state: the command that reads or writes it, and its answer. */
import type { KeyValueOperation, KeyValueOutcome } from '../../job/key-value.ts'
import type { Lease } from '../../job/lease.ts'

/**
 * Reads or writes a value in the namespace of a kind: that of the lease's job while the lease is its current one, or, for the
 * app, any. A write has a name of its own (its version), by which a repeated one is known.
 */
export interface KeyValueCommand {
  readonly type: 'key-value'
  readonly now: number
  readonly by: { readonly lease: Lease } | { readonly kind: string }
  readonly operation: KeyValueOperation
}
/** What came of it. */
export interface KeyValueAnswer {
  readonly type: 'key-value'
  readonly outcome: KeyValueOutcome
}
