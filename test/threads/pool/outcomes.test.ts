import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodePayload } from '../../../src/job/payload.ts'
import { openPool, type TestPool } from '../../support/threads/test-pool.ts'

let pool: TestPool
beforeAll(async () => {
  pool = await openPool('faults.ts')
})
afterAll(() => pool[Symbol.asyncDispose]())

const run = (kind: string, input?: unknown) => pool.start(kind, input)

describe('a handler that returns', () => {
  test.each([[undefined], [null], [{ a: [1, 'b'] }], [new Date(3)], [new Map([[1n, new Uint8Array([7])]])]])(
    'gives back %s as it was',
    async (value) => {
      const done = await run('echo', value)
      expect(await done.settled()).toMatchObject({ type: 'returned' })
      const [outcome] = done.outcomes
      expect(outcome?.type === 'returned' && decodePayload(outcome.result)).toEqual(value)
      expect(done.end).toEqual({ type: 'done' })
    },
  )

  test('keeps its thread, so that the next job needs no new one', async () => {
    const first = await run('nothing')
    await first.settled()
    const second = await run('nothing')
    await second.settled()
    expect(second.run.threadId).toBe(first.run.threadId)
  })

  test('was told which job and attempt it is, and how much time it has', async () => {
    const done = await pool.start('context', undefined, { timeoutMs: 60_000 })
    const outcome = await done.settled()
    expect(outcome.type === 'returned' && decodePayload(outcome.result)).toEqual({
      job: {
        ...{ id: expect.stringMatching(/^job-/), kind: 'context', queue: 'default', group: null, createdAt: 5 },
        ...{ parent: null, root: null, correlationId: null },
      },
      attempt: 2,
      attemptsMax: 3,
      left: expect.toSatisfy((left: number) => left > 30_000 && left <= 60_000),
    })
  })

  test('an uncloneable value is rejected for good, with the path to the part that cannot be cloned', async () => {
    const error = await (await run('returnsUncloneable')).failed('rejected')
    expect(error).toMatchObject({ code: 'REEVE_RESULT_UNCLONEABLE', message: expect.stringContaining('user.onSave') })
  })

  test('a value that throws when it is looked at is rejected for good', async () => {
    expect(await (await run('returnsHostile')).failed('rejected')).toMatchObject({ code: 'REEVE_RESULT_UNCLONEABLE' })
  })

  test('a value over the size cap is rejected for good', async () => {
    expect(await (await run('returnsTooMuch')).failed('rejected')).toMatchObject({ code: 'REEVE_PAYLOAD_TOO_LARGE' })
  })
})

describe('a handler that throws', () => {
  test.each([
    ['throwsNull', { name: 'null', message: 'null' }],
    ['throwsUndefined', { name: 'undefined', message: 'undefined' }],
    ['throwsString', { name: 'string', message: 'no luck' }],
    ['throwsUncloneable', { name: 'object', fields: { why: 'odd', retry: '[function retry]' } }],
    ['rejects', { name: 'RangeError', message: 'later' }],
  ])('%s becomes an error record', async (kind, record) => {
    const failed = await run(kind)
    expect(await failed.failed()).toMatchObject(record)
    expect(failed.end).toEqual({ type: 'done' })
  })

  test('keeps the class, stack, code, cause and own fields of its error', async () => {
    expect(await (await run('throwsRich')).failed()).toEqual({
      name: 'PaymentError',
      message: 'card refused',
      stack: expect.stringContaining('faults.ts'),
      code: 'E_CARD',
      cause: { name: 'TypeError', message: 'no digits', stack: expect.any(String) },
      fields: { orderId: 7, retryable: false },
    })
  })
})

describe('an input', () => {
  test('reaches the handler as its schema gives it out', async () => {
    const outcome = await (await run('checked', { amount: 4 })).settled()
    expect(outcome.type === 'returned' && decodePayload(outcome.result)).toBe(8n)
  })

  test('that its schema refuses is rejected for good, with the complaints and paths of the schema', async () => {
    const error = await (await run('checked', { amount: -1 })).failed('rejected')
    expect(error).toMatchObject({
      code: 'REEVE_INPUT_INVALID',
      message: expect.stringContaining('amount: must be above zero; items[0]: is wrong'),
    })
  })

  test('whose validator is broken fails the attempt, which is tried again', async () => {
    expect(await (await run('brokenSchema', 1)).failed()).toMatchObject({ name: 'TypeError', message: 'the validator is broken' })
  })

  test('that is damaged in the store is rejected for good', async () => {
    const damaged = await pool.startStored('echo', '{"a":')
    expect(await damaged.failed('rejected')).toMatchObject({ code: 'REEVE_PAYLOAD_UNREADABLE' })
  })

  test('of a kind that the module has not is an outcome of its own, which names the kinds there are', async () => {
    for (const kind of ['resize', 'toString', '__proto__']) {
      const error = await (await run(kind)).failed('unknown-kind')
      expect(error).toMatchObject({ code: 'REEVE_KIND_UNKNOWN', message: expect.stringMatching(/nothing, echo/) })
    }
  })
})
