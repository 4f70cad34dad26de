import { expect, test } from 'vitest'
import { isNonRetryable, NonRetryableError } from '../../src/job/non-retryable-error.ts'
import { decodeError, encodeError } from '../../src/threads/error-codec.ts'

class Gone extends NonRetryableError {}
class Refused extends NonRetryableError {}

test('an error is final by what it says, so that it is known from another copy of the package and from another thread', () => {
  const cause = { status: 404 }
  const error = new NonRetryableError('gone', { cause })
  expect(error).toMatchObject({ name: 'NonRetryableError', message: 'gone', cause })
  const foreign = Object.assign(new RangeError('gone'), { nonRetryable: true })
  for (const one of [error, new Gone('gone'), foreign, decodeError(encodeError(error))]) {
    expect(isNonRetryable(one)).toBe(true)
    expect(one).toBeInstanceOf(NonRetryableError)
  }
})

test('a class that extends it is its own', () => {
  expect(new Gone('gone')).toBeInstanceOf(Gone)
  expect(new Gone('gone')).not.toBeInstanceOf(Refused)
  expect(new NonRetryableError('gone')).not.toBeInstanceOf(Gone)
})

test.each([
  new Error('again'),
  Object.assign(new Error('again'), { nonRetryable: 'yes' }),
  Object.assign(new Error('again'), { retryable: false }),
  null,
  undefined,
  'nonRetryable',
  new Proxy(
    {},
    {
      get: () => {
        throw new Error('unreadable')
      },
    },
  ),
])('anything else is not: %#', (thrown) => {
  expect(isNonRetryable(thrown)).toBe(false)
  expect(thrown instanceof NonRetryableError).toBe(false)
})
