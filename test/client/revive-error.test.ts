import { describe, expect, test } from 'vitest'
import { errorOfEnd } from '../../src/client/error-of-end.ts'
import { ReeveError } from '../../src/errors.ts'
import { encodeError } from '../../src/threads/error-codec.ts'
import { reviveError } from '../../src/threads/revive-error.ts'
import { jobId } from '../support/store/commands.ts'

describe('an error that crossed the threads as data', () => {
  test('of Reeve is a ReeveError again, with its code, subject, stack and cause', () => {
    const cause = Object.assign(new TypeError('no'), { code: 'E_NO' })
    const error = new ReeveError('REEVE_HANDLER_UNCAUGHT', 'it threw', { jobId: 'j', kind: 'resize', attempt: 2, cause })
    const revived = reviveError(encodeError(error))
    expect(revived).toBeInstanceOf(ReeveError)
    expect(revived).toMatchObject({ code: 'REEVE_HANDLER_UNCAUGHT', message: 'it threw', jobId: 'j', kind: 'resize', attempt: 2 })
    expect(revived.stack).toBe(error.stack)
    expect(revived.cause).toBeInstanceOf(TypeError)
    expect(revived.cause).toMatchObject({ message: 'no', code: 'E_NO' })
  })

  test('of somebody else stays what it was', () => {
    const revived = reviveError(encodeError(Object.assign(new RangeError('far'), { code: 'E_FAR', distance: 3 })))
    expect(revived).toBeInstanceOf(RangeError)
    expect(revived).not.toBeInstanceOf(ReeveError)
    expect(revived).toMatchObject({ message: 'far', code: 'E_FAR', distance: 3 })
  })

  test.each([['REEVE_OF_A_NEWER_VERSION'], ['toString'], [undefined]])(
    'that says it is ours with the code %s is no ReeveError',
    (code) => {
      const record = { name: 'ReeveError', message: 'm', ...(code !== undefined && { code }) }
      expect(reviveError(record)).not.toBeInstanceOf(ReeveError)
      expect(reviveError(record)).toMatchObject({ name: 'ReeveError', message: 'm' })
    },
  )

  test('keeps the last log lines of a killed attempt', () => {
    const record = { name: 'ReeveError', message: 'm', code: 'REEVE_ATTEMPT_TIMED_OUT', logTail: ['one', 'two'] }
    expect(reviveError(record)).toMatchObject({ code: 'REEVE_ATTEMPT_TIMED_OUT', logTail: ['one', 'two'] })
  })
})

describe('the end of a job without a result', () => {
  const end = { jobId: jobId('j'), kind: 'resize', attempt: 3, result: null }

  test('that was discarded has its last error as the cause, and says it', () => {
    const error = errorOfEnd({ ...end, state: 'discarded', error: { name: 'TypeError', message: 'no digits' } })
    expect(error).toMatchObject({
      code: 'REEVE_JOB_DISCARDED',
      jobId: 'j',
      kind: 'resize',
      attempt: 3,
      cause: { message: 'no digits' },
    })
    expect(error.message).toBe('Job j (resize) was discarded at attempt 3: no digits')
  })

  test('that was cancelled says so', () => {
    expect(errorOfEnd({ ...end, state: 'cancelled', error: null })).toMatchObject({
      code: 'REEVE_JOB_CANCELLED',
      message: 'Job j (resize) was cancelled.',
    })
  })
})
