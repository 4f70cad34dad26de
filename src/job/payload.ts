/**
 * Inputs and results as stored. Plain JSON values become JSON text (readable with any SQLite tool), all else
 * the bytes of a structured clone; `undefined` becomes NULL. The column's own type tells which it is.
 */
import { deserialize, serialize } from 'node:v8'
import { ReeveError } from '../errors.ts'

/** JSON text, structured-clone bytes, or null for `undefined`. */
export type StoredPayload = string | Uint8Array | null

/** The default cap on one payload, in bytes (16 MiB). */
export const payloadBytesMaxDefault = 16 * 1024 * 1024

/** Deeper values than this go to structured clone, so that the walk cannot overflow the stack. */
const jsonDepthMax = 200

/**
 * Encodes a value for storage. Dates stay Dates, BigInts BigInts, Maps Maps, bytes bytes: as by structured clone.
 *
 * @throws ReeveError `REEVE_PAYLOAD_UNCLONEABLE` with the path to what cannot be cloned, `REEVE_PAYLOAD_TOO_LARGE` past `bytesMax`.
 * @example
 * ```ts
 * encodePayload({ width: 200 }) // '{"width":200}'
 * ```
 */
export function encodePayload(value: unknown, bytesMax: number = payloadBytesMaxDefault): StoredPayload {
  if (value === undefined) return null
  const stored = isPlainJson(value, 0) ? JSON.stringify(value) : cloneBytes(value)
  const bytes = typeof stored === 'string' ? textBytes(stored, bytesMax) : stored.byteLength
  if (bytes > bytesMax) {
    throw new ReeveError(
      'REEVE_PAYLOAD_TOO_LARGE',
      `A payload of ${bytes} bytes is over the cap of ${bytesMax} bytes; store the data elsewhere and pass a reference to it.`,
    )
  }
  return stored
}

/**
 * Decodes what {@link encodePayload} made.
 *
 * @throws ReeveError `REEVE_PAYLOAD_UNREADABLE` where the stored form is damaged.
 */
export function decodePayload(stored: StoredPayload): unknown {
  if (stored === null) return undefined
  try {
    return typeof stored === 'string' ? JSON.parse(stored) : deserialize(stored)
  } catch (cause) {
    throw new ReeveError(
      'REEVE_PAYLOAD_UNREADABLE',
      'A stored payload cannot be decoded: it was changed, or written by a newer Node.js.',
      { cause },
    )
  }
}

/** UTF-8 length, exact only where it can matter: a string has at most three bytes a UTF-16 unit. */
function textBytes(text: string, bytesMax: number): number {
  return text.length * 3 <= bytesMax ? text.length : Buffer.byteLength(text)
}

/** Whether JSON gives back exactly this value. Cycles end at the depth limit and go to structured clone. */
function isPlainJson(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
    case 'object':
      break
    default:
      return false
  }
  if (value === null) return true
  if (depth > jsonDepthMax) return false
  if (Array.isArray(value)) return isPlainArray(value, depth)
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype) return false
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key)
    if (typeof key !== 'string' || property === undefined || !property.enumerable || !('value' in property)) return false
    if (key === 'toJSON' || key === '__proto__' || !isPlainJson(property.value, depth + 1)) return false
  }
  return true
}

function isPlainArray(value: readonly unknown[], depth: number): boolean {
  if (Object.getPrototypeOf(value) !== Array.prototype || Object.keys(value).length !== value.length) return false
  for (let index = 0; index < value.length; index++) {
    if (!(index in value) || !isPlainJson(value[index], depth + 1)) return false
  }
  return true
}

function cloneBytes(value: unknown): Uint8Array {
  try {
    return serialize(value)
  } catch (cause) {
    const path = findUncloneable(value, 'value', new Set())
    throw new ReeveError('REEVE_PAYLOAD_UNCLONEABLE', `${path ?? 'value'} cannot be cloned: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/** The path of the first part that cannot be cloned by itself, such as `value.user.onSave`. */
function findUncloneable(value: unknown, path: string, seen: Set<unknown>): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol') return path
  if (typeof value !== 'object' || value === null || seen.has(value)) return undefined
  seen.add(value)
  for (const [step, part] of parts(value)) {
    const found = findUncloneable(part, `${path}${step}`, seen)
    if (found !== undefined) return found
  }
  return clones(value) ? undefined : path
}

function parts(value: object): [string, unknown][] {
  if (value instanceof Map)
    return [...value].flatMap(([key, part], index) => [
      [`.keys()[${index}]`, key],
      [`.get(${String(key)})`, part],
    ])
  if (value instanceof Set) return [...value].map((part, index) => [`.values()[${index}]`, part])
  if (Array.isArray(value)) return value.map((part, index) => [`[${index}]`, part])
  return Object.keys(value).map((key) => [`.${key}`, (value as Record<string, unknown>)[key]])
}

function clones(value: unknown): boolean {
  try {
    serialize(value)
    return true
  } catch {
    return false
  }
}
