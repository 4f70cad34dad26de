/** Key-value state of a kind: what is asked of a store, and what it answers. Types and the rules of keys; no I/O. */
import { optionInvalid } from '../errors.ts'
import type { StoredPayload } from './payload.ts'

const keyLengthMax = 500

/** A value as it is stored. `version` is the name of the write that made it, and no other write has that name. */
export interface StoredValue {
  readonly value: StoredPayload
  readonly version: string
}

/** A value with its key. */
export interface StoredEntry extends StoredValue {
  readonly key: string
}

/**
 * What can be done to the values of a kind. `expected` makes a write a compare-and-set on the version that is there: null for
 * none, absent for any.
 */
export type KeyValueOperation =
  | { readonly type: 'get'; readonly key: string }
  | {
      readonly type: 'set'
      readonly key: string
      readonly value: StoredPayload
      readonly version: string
      readonly expected?: string | null
    }
  | { readonly type: 'delete'; readonly key: string; readonly expected?: string | null }
  /** In the order of keys, those after `after`; fewer than `limit` where their values are large. */
  | { readonly type: 'list'; readonly prefix: string; readonly after: string | null; readonly limit: number }

/** What came of it. */
export type KeyValueOutcome =
  | { readonly type: 'found'; readonly stored: StoredValue | null }
  | { readonly type: 'written' }
  /** It is not the version that was expected, and this is there instead. */
  | { readonly type: 'conflict'; readonly stored: StoredValue | null }
  | { readonly type: 'listed'; readonly entries: readonly StoredEntry[]; readonly more: boolean }
  /** The lease was not the job's current one: nothing was read or changed. */
  | { readonly type: 'stale' }

/**
 * Checks a key.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`.
 */
export function checkKey(key: unknown): string {
  if (typeof key === 'string' && key.length >= 1 && key.length <= keyLengthMax && key.isWellFormed()) return key
  throw optionInvalid('key', key, `a text of 1 to ${keyLengthMax} characters, without lone surrogates`)
}
