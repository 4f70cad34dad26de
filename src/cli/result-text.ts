/** A result as one line of JSON. */
import { inspect } from 'node:util'

/**
 * What JSON cannot hold is put as near as it can: a BigInt as its digits, a Map and a Set as arrays, bytes in base64, nothing
 * (`undefined`) as null; a result that refers to itself as the text of `util.inspect`.
 */
export function resultText(result: unknown): string {
  try {
    return JSON.stringify(result, asJson) ?? 'null'
  } catch {
    return JSON.stringify(inspect(result))
  }
}

function asJson(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Map || value instanceof Set) return [...value]
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  return value
}
