/** The error of a handler that knows that another attempt would end the same way. */

/**
 * Thrown by a handler, it makes the job a dead letter at once, whatever attempts are left. An error of another class does the same
 * where it has a field `nonRetryable` that is `true`: that is how this one is known across threads, and across copies of the package.
 *
 * @example
 * ```ts
 * if (response.status === 404) throw new NonRetryableError(`${url} does not exist`, { cause: response.status })
 * ```
 */
export class NonRetryableError extends Error {
  override readonly name: string = 'NonRetryableError'
  readonly nonRetryable = true
}

// `instanceof` of this class itself asks the error, so that one of another copy, or from another thread, is one too; a class that
// extends it has its own.
Object.defineProperty(NonRetryableError, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    if (this !== NonRetryableError) return Function.prototype[Symbol.hasInstance].call(this, value)
    return value instanceof Error && isNonRetryable(value)
  },
})

/** Whether something that was thrown says that it is not to be tried again. It may be anything, and reading it may throw. */
export function isNonRetryable(thrown: unknown): boolean {
  try {
    return typeof thrown === 'object' && thrown !== null && (thrown as { nonRetryable?: unknown }).nonRetryable === true
  } catch {
    return false
  }
}
