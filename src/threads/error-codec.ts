/**
 * Anything that was thrown, as data, and back. A pure leaf. Encoding never throws and its output is bounded,
 * because it runs where nothing else could catch: at the end of a handler and in the handler of uncaught errors.
 */
import { types } from 'node:util'
import type { ErrorRecord } from '../job/error-record.ts'
import { cutText, nameOfClass, plainData, plainFields, readSafely } from './plain-data.ts'

const messageMax = 8_192
const stackMax = 16_384
const nameMax = 200
const causeDepthMax = 4
const aggregatedMax = 10

/** What the record says in parts of its own. A code that is not text stays a field, so that its type is kept. */
const saidElsewhere = ['name', 'message', 'stack', 'cause', 'errors']

/**
 * Describes whatever was thrown: an Error by its parts, any other value by its type and text.
 *
 * @example
 * ```ts
 * encodeError(null) // { name: 'null', message: 'null' }
 * encodeError(Object.assign(new Error('no such file'), { code: 'ENOENT' })).code // 'ENOENT'
 * ```
 */
export function encodeError(thrown: unknown): ErrorRecord {
  try {
    return encode(thrown, 0)
  } catch {
    return { name: 'object', message: 'Something was thrown that cannot be read.' }
  }
}

function encode(thrown: unknown, depth: number): ErrorRecord {
  if (thrown === null) return { name: 'null', message: 'null' }
  if (typeof thrown === 'function') return { name: 'function', message: String(plainData(thrown)) }
  if (typeof thrown !== 'object') return { name: typeof thrown, message: cutText(String(thrown), messageMax) }
  return isError(thrown) ? encodeErrorObject(thrown, depth) : encodeObject(thrown)
}

function encodeErrorObject(error: object, depth: number): ErrorRecord {
  const stack = readSafely(error, 'stack')
  const code = readSafely(error, 'code')
  const cause = depth < causeDepthMax ? readSafely(error, 'cause') : undefined
  const fields = fieldsOf(error, typeof code === 'string')
  return {
    name: nameOfError(error),
    message: textOf(readSafely(error, 'message')),
    ...(typeof stack === 'string' && { stack: cutText(stack, stackMax) }),
    ...(typeof code === 'string' && { code: cutText(code, nameMax) }),
    ...(cause !== undefined && cause !== error && { cause: encode(cause, depth + 1) }),
    ...(fields !== null && { fields }),
  }
}

function encodeObject(thrown: object): ErrorRecord {
  const message = readSafely(thrown, 'message')
  const code = readSafely(thrown, 'code')
  const fields = plainFields(thrown, typeof code === 'string' ? ['code', 'message'] : ['message'])
  return {
    name: 'object',
    message:
      typeof message === 'string'
        ? textOf(message)
        : `A value that is no Error was thrown: ${cutText(JSON.stringify(plainData(thrown)), 1_000)}`,
    ...(typeof code === 'string' && { code: cutText(code, nameMax) }),
    ...(fields !== null && { fields }),
  }
}

function fieldsOf(error: object, codeIsText: boolean): Record<string, unknown> | null {
  const fields = plainFields(error, codeIsText ? [...saidElsewhere, 'code'] : saidElsewhere)
  const aggregated = readSafely(error, 'errors')
  if (!Array.isArray(aggregated)) return fields
  return { ...fields, errors: plainData(aggregated.slice(0, aggregatedMax)) }
}

/** `name` where somebody set it, else the name of the class: `class NotFound extends Error` has the name `'Error'`. */
function nameOfError(error: object): string {
  const name = readSafely(error, 'name')
  if (typeof name === 'string' && name !== '' && name !== 'Error') return cutText(name, nameMax)
  const className = nameOfClass(error)
  return className === 'object' ? 'Error' : className
}

/** Errors of this realm, of another one (`node:vm`), and DOMExceptions. */
function isError(value: object): boolean {
  try {
    return types.isNativeError(value) || value instanceof Error
  } catch {
    return false
  }
}

function textOf(message: unknown): string {
  if (typeof message === 'string') return cutText(message, messageMax)
  return message === undefined ? '' : cutText(JSON.stringify(plainData(message)), messageMax)
}

/** An Error that was decoded; `code` and the other fields are as they were. */
export type DecodedError = Error & { code?: string; readonly logTail?: readonly string[] }

const builtIns: Readonly<Record<string, ErrorConstructor>> = {
  TypeError,
  RangeError,
  SyntaxError,
  ReferenceError,
  EvalError,
  URIError,
}

/**
 * Makes an Error of a record, with name, message, stack, code, cause and fields as they were. Built-in classes come
 * back as such; other classes as Error under their name.
 *
 * @example
 * ```ts
 * decodeError(encodeError(new TypeError('no'))) instanceof TypeError // true
 * ```
 */
export function decodeError(record: ErrorRecord): DecodedError {
  const ErrorClass = Object.hasOwn(builtIns, record.name) ? builtIns[record.name] : undefined
  const error: DecodedError = new (ErrorClass ?? Error)(record.message)
  for (const [key, value] of Object.entries(record.fields ?? {})) define(error, key, value, true)
  define(error, 'name', record.name, false)
  define(error, 'stack', record.stack ?? `${record.name}: ${record.message}`, false)
  if (record.code !== undefined) define(error, 'code', record.code, true)
  if (record.cause !== undefined) define(error, 'cause', decodeError(record.cause), false)
  if (record.logTail !== undefined) define(error, 'logTail', record.logTail, true)
  return error
}

/** Defined, not assigned: a field may have the name of a setter (`__proto__`) or of something read-only. */
function define(error: Error, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(error, key, { value, enumerable, configurable: true, writable: true })
}
