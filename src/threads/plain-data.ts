/**
 * Any value as small plain data: what errors and log lines carry across threads. A pure leaf that never throws
 * and whose output is bounded, whatever it is given (cycles, proxies, throwing getters, megabytes).
 */
import { types } from 'node:util'

const depthMax = 4
const keysMax = 50
const valuesMax = 500
const textMax = 8_192

/** How many values one call may still copy; it bounds wide trees that the depth and key limits let through. */
interface Budget {
  left: number
}

/**
 * Copies what is plain (JSON values, arrays, plain objects, the fields of other objects) and says the rest in words:
 * Dates and BigInts as text, Errors as name, message, code and stack, a function as `[function name]`.
 *
 * @example
 * ```ts
 * plainData({ at: new Date(0), retry: () => {} }) // { at: '1970-01-01T00:00:00.000Z', retry: '[function retry]' }
 * ```
 */
export function plainData(value: unknown): unknown {
  return copy(value, 0, { left: valuesMax })
}

/** The own enumerable fields of an object by {@link plainData}, without `omit`; null where there are none. */
export function plainFields(value: object, omit: readonly string[] = []): Record<string, unknown> | null {
  return copyFields(value, 0, { left: valuesMax }, omit)
}

/** Cuts a text to `max` characters and says so. */
export function cutText(text: string, max: number = textMax): string {
  return text.length <= max ? text : `${text.slice(0, max)}… (cut, ${text.length} characters)`
}

/** Reads one property of whatever it is; undefined where it throws. */
export function readSafely(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key]
  } catch {
    return undefined
  }
}

function copy(value: unknown, depth: number, budget: Budget): unknown {
  if (budget.left-- <= 0) return '[cut]'
  switch (typeof value) {
    case 'string':
      return cutText(value)
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'boolean':
      return value
    case 'object':
      return value === null ? null : copyObject(value, depth, budget)
    case 'function':
      return `[function ${cutText(String(readSafely(value, 'name') ?? ''), 100)}]`
    default:
      return cutText(String(value))
  }
}

function copyObject(value: object, depth: number, budget: Budget): unknown {
  if (types.isDate(value)) return Number.isNaN(Number(value)) ? 'Invalid Date' : value.toISOString()
  if (types.isNativeError(value)) return errorInBrief(value)
  if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) return `[${nameOfClass(value)} of ${value.byteLength} bytes]`
  if (depth >= depthMax) return `[${nameOfClass(value)}]`
  try {
    if (Array.isArray(value)) return copyArray(value, depth, budget)
    if (types.isMap(value) || types.isSet(value)) return `[${nameOfClass(value)} of ${value.size}]`
  } catch {
    return '[unreadable]'
  }
  return copyFields(value, depth, budget, []) ?? (isPlain(value) ? {} : `[${nameOfClass(value)}]`)
}

function copyArray(value: readonly unknown[], depth: number, budget: Budget): unknown[] {
  const kept = value.slice(0, keysMax).map((item) => copy(item, depth + 1, budget))
  return value.length > keysMax ? [...kept, `[${value.length - keysMax} more]`] : kept
}

function copyFields(value: object, depth: number, budget: Budget, omit: readonly string[]): Record<string, unknown> | null {
  const fields: Record<string, unknown> = {}
  let kept = 0
  try {
    for (const key of Object.keys(value)) {
      if (key === '__proto__' || omit.includes(key)) continue
      const property = Object.getOwnPropertyDescriptor(value, key)
      if (property === undefined || property.value === undefined) continue
      if (++kept > keysMax) break
      fields[cutText(key, 200)] = copy(property.value, depth + 1, budget)
    }
  } catch {
    fields['unreadable'] = true
    kept++
  }
  return kept === 0 ? null : fields
}

function errorInBrief(error: Error): Record<string, unknown> {
  const brief: Record<string, unknown> = {}
  for (const key of ['name', 'message', 'code', 'stack']) {
    const part = readSafely(error, key)
    if (typeof part === 'string') brief[key] = cutText(part)
  }
  return brief
}

/** The name of the class of an object, such as `'Socket'`; `'object'` where there is none. */
export function nameOfClass(value: object): string {
  const itsClass = readSafely(value, 'constructor')
  const name = typeof itsClass === 'function' ? readSafely(itsClass, 'name') : undefined
  return typeof name === 'string' && name !== '' ? cutText(name, 100) : 'object'
}

function isPlain(value: object): boolean {
  try {
    const prototype = Object.getPrototypeOf(value)
    return prototype === null || prototype === Object.prototype
  } catch {
    return false
  }
}
