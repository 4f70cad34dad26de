/** What the app says to the thread that holds its locks, and hears from it. Types only. */
import type { ErrorRecord } from '../../job/error-record.ts'
import type { OwnerId } from '../../job/lease.ts'

/** To take a lock, which is answered, to give it up, or to end. */
export type PresenceWish = { readonly type: 'hold' | 'release'; readonly owner: OwnerId } | { readonly type: 'end' }

/** The lock is held, or (with an error) it is not. */
export interface PresenceAnswer {
  readonly owner: OwnerId
  readonly error: ErrorRecord | null
}
