/**
 * `ctx.kv` and `runtime.kv(kind)`: the same surface over whoever carries the operations to the store, a handler's questions
 * or the app's calls.
 */
import { optionInvalid } from '../errors.ts'
import { checkKey, type KeyValueOperation, type KeyValueOutcome, type StoredValue } from './key-value.ts'
import { decodePayload, encodePayload } from './payload.ts'

const limitDefault = 100
const limitMax = 1_000

/** Which entries to list. */
export interface KeyValueListOptions {
  /** Only keys that begin with this; default all. */
  readonly prefix?: string
  /** Only keys after this one: the `next` of the page before. */
  readonly after?: string
  /** How many at most, 1 to 1,000; default 100. */
  readonly limit?: number
}

/** One page of entries, in the order of their keys. */
export interface KeyValuePage<T = unknown> {
  readonly entries: readonly { readonly key: string; readonly value: T }[]
  /** The `after` of the next page; undefined on the last one. A page whose values are large is shorter than asked for. */
  readonly next: string | undefined
}

/**
 * Small state that outlives a job, shared by all jobs of one kind. Keys are texts of 1 to 500 characters; values cross as inputs
 * do (Dates stay Dates) and have the same cap. Everything resolves after its commit. In a handler all of it is fenced: an attempt
 * that has lost its lease changes nothing, and its promise rejects.
 *
 * @example
 * ```ts
 * const visits = await ctx.kv.update<number>('visits', (before = 0) => before + 1)
 * ```
 */
export interface KeyValues {
  /** The value of a key, or undefined. */
  get<T = unknown>(key: string): Promise<T | undefined>
  /** Sets a value, whatever was there; `undefined` deletes the key. */
  set(key: string, value: unknown): Promise<void>
  /** Deletes a key; one that is not there is no error. */
  delete(key: string): Promise<void>
  /**
   * Sets what `change` makes of the present value, and resolves with it: atomically, because `change` is called again where
   * somebody else has written in between. So it should do nothing else. `undefined` deletes the key.
   */
  update<T>(key: string, change: (before: T | undefined) => T | undefined | Promise<T | undefined>): Promise<T | undefined>
  /** Entries in the order of their keys, a page at a time. */
  list<T = unknown>(options?: KeyValueListOptions): Promise<KeyValuePage<T>>
}

/** What key-value state is made of. */
export interface KeyValueServices {
  /** Carries an operation to the store. Rejects where its outcome would be `stale`. */
  readonly ask: (operation: KeyValueOperation) => Promise<KeyValueOutcome>
  /** A name that no other write ever has. */
  readonly newVersion: () => string
  readonly payloadBytesMax: number
}

/** Makes the surface. */
export function keyValuesOf({ ask, newVersion, payloadBytesMax }: KeyValueServices): KeyValues {
  const write = async (key: string, value: unknown, expected?: string | null): Promise<KeyValueOutcome> => {
    const condition = expected === undefined ? {} : { expected }
    if (value === undefined) return ask({ type: 'delete', key, ...condition })
    return ask({ type: 'set', key, value: encodePayload(value, payloadBytesMax), version: newVersion(), ...condition })
  }
  const read = async (key: string): Promise<StoredValue | null> => {
    const outcome = await ask({ type: 'get', key })
    return outcome.type === 'found' ? outcome.stored : null
  }
  return {
    async get<T>(key: string) {
      return decoded<T>(await read(checkKey(key)))
    },
    async set(key, value) {
      await write(checkKey(key), value)
    },
    async delete(key) {
      await write(checkKey(key), undefined)
    },
    async update<T>(key: string, change: (before: T | undefined) => T | undefined | Promise<T | undefined>) {
      let stored = await read(checkKey(key))
      for (;;) {
        const value = await change(decoded<T>(stored))
        const outcome = await write(key, value, stored?.version ?? null)
        if (outcome.type !== 'conflict') return value
        stored = outcome.stored
      }
    },
    async list<T>(options: KeyValueListOptions = {}) {
      const outcome = await ask({ type: 'list', ...checkListOptions(options) })
      if (outcome.type !== 'listed') return { entries: [], next: undefined }
      const entries = outcome.entries.map(({ key, value }) => ({ key, value: decodePayload(value) as T }))
      return { entries, next: outcome.more ? entries.at(-1)?.key : undefined }
    },
  }
}

function decoded<T>(stored: StoredValue | null): T | undefined {
  return stored === null ? undefined : (decodePayload(stored.value) as T)
}

function checkListOptions({ prefix = '', after, limit = limitDefault }: KeyValueListOptions) {
  if (typeof prefix !== 'string') throw optionInvalid('prefix', prefix, 'a text')
  if (!Number.isInteger(limit) || limit < 1 || limit > limitMax)
    throw optionInvalid('limit', limit, `a whole number from 1 to ${limitMax}`)
  return { prefix, after: after === undefined ? null : checkKey(after), limit }
}
