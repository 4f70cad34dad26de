import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { ReeveError } from '../../../src/errors.ts'
import { decodeError, encodeError } from '../../../src/threads/error-codec.ts'

const bytesMax = 200_000

describe('whatever is thrown becomes a record', () => {
  test.each([
    [null, { name: 'null', message: 'null' }],
    [undefined, { name: 'undefined', message: 'undefined' }],
    ['no luck', { name: 'string', message: 'no luck' }],
    [7, { name: 'number', message: '7' }],
    [7n, { name: 'bigint', message: '7' }],
    [Symbol('s'), { name: 'symbol', message: 'Symbol(s)' }],
    [function later() {}, { name: 'function', message: '[function later]' }],
    [
      { code: 'E_X', message: 'odd', at: 3 },
      { name: 'object', message: 'odd', code: 'E_X', fields: { at: 3 } },
    ],
    [{ at: 3 }, { name: 'object', message: 'A value that is no Error was thrown: {"at":3}', fields: { at: 3 } }],
  ])('%s', (thrown, record) => {
    expect(encodeError(thrown)).toEqual(record)
  })

  test('an Error with its class, code, cause and own fields', () => {
    class NotFound extends Error {
      readonly path = '/a'
    }
    const record = encodeError(
      Object.assign(new NotFound('gone', { cause: 'disk' }), { code: 'ENOENT', errno: -2, when: new Date(0) }),
    )
    expect(record).toEqual({
      name: 'NotFound',
      message: 'gone',
      stack: expect.stringContaining('gone'),
      code: 'ENOENT',
      cause: { name: 'string', message: 'disk' },
      fields: { path: '/a', errno: -2, when: '1970-01-01T00:00:00.000Z' },
    })
  })

  test('a DOMException, an Error of another realm, and all errors of an AggregateError', () => {
    expect(encodeError(new DOMException('stopped', 'AbortError'))).toMatchObject({ name: 'AbortError', message: 'stopped' })
    expect(encodeError(runInNewContext('new TypeError("elsewhere")'))).toMatchObject({
      name: 'TypeError',
      message: 'elsewhere',
      stack: expect.any(String),
    })
    const all = encodeError(new AggregateError([new RangeError('one'), 'two'], 'all failed'))
    expect(all).toMatchObject({
      name: 'AggregateError',
      message: 'all failed',
      fields: { errors: [{ name: 'RangeError', message: 'one' }, 'two'] },
    })
  })

  test('a code that is no text stays what it is, as a field', () => {
    expect(encodeError(Object.assign(new Error('x'), { code: 42 }))).toMatchObject({ fields: { code: 42 } })
  })
})

describe('a hostile value neither throws nor grows', () => {
  const cyclic = Object.assign(new Error('cycle'), { self: null as unknown })
  cyclic.self = cyclic
  cyclic.cause = new Error('other', { cause: cyclic })
  let deep: Record<string, unknown> = {}
  for (let depth = 0; depth < 10_000; depth++) deep = { next: deep }
  const wide = Object.fromEntries(
    Array.from({ length: 200 }, (_, a) => [
      `k${a}`,
      Object.fromEntries(Array.from({ length: 200 }, (_, b) => [`k${b}`, 'x'.repeat(100)])),
    ]),
  )
  const refuses = () => {
    throw new Error('trap')
  }
  const proxy = new Proxy(
    {},
    { get: refuses, ownKeys: refuses, getPrototypeOf: refuses, has: refuses, getOwnPropertyDescriptor: refuses },
  )
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  const revokedList = Proxy.revocable([], {})
  revokedList.revoke()
  const getters = Object.defineProperties(
    new Error('x'),
    Object.fromEntries(
      ['name', 'message', 'stack', 'code', 'cause', 'errors', 'more'].map((key) => [key, { get: refuses, enumerable: true }]),
    ),
  )

  test.each<[string, unknown]>([
    ['a cycle', cyclic],
    ['a deep object', deep],
    ['a wide object', wide],
    ['a giant message', new Error('m'.repeat(10_000_000))],
    ['a giant stack', Object.assign(new Error('s'), { stack: 's'.repeat(10_000_000) })],
    ['a giant list', Array.from({ length: 1_000_000 }, () => 'x'.repeat(50))],
    ['a giant string', 'x'.repeat(10_000_000)],
    ['megabytes of fields', Object.assign(new Error('f'), { body: Buffer.alloc(10_000_000), text: 'x'.repeat(10_000_000) })],
    ['a proxy that refuses everything', proxy],
    ['a revoked proxy', revoked.proxy],
    ['a revoked list in a field', Object.assign(new Error('x'), { list: revokedList.proxy })],
    ['getters that throw', getters],
    ['an Error without a prototype', Object.setPrototypeOf(new Error('bare'), null)],
    ['a message that is an object', Object.assign(new Error(), { message: { text: 'odd', self: cyclic } })],
  ])('%s', (_name, thrown) => {
    const record = encodeError(thrown)
    expect(record.name).not.toBe('')
    // The last resort, which says nothing of the error, is not what these need.
    expect(record.message).not.toBe('Something was thrown that cannot be read.')
    expect(JSON.stringify(record).length).toBeLessThan(bytesMax)
    expect(structuredClone(record)).toEqual(record)
    expect(decodeError(record)).toBeInstanceOf(Error)
  })

  test('a cut text says so', () => {
    expect(encodeError(new Error('m'.repeat(10_000))).message).toMatch(/^m{8192}… \(cut, 10000 characters\)$/)
  })
})

describe('a record becomes an Error again', () => {
  test('with name, message, stack, code, cause and fields as they were', () => {
    const original = Object.assign(new TypeError('no', { cause: new RangeError('why') }), { code: 'E_NO', detail: { at: 3 } })
    const error = decodeError(encodeError(original))
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ name: 'TypeError', message: 'no', stack: original.stack, code: 'E_NO', detail: { at: 3 } })
    expect(error.cause).toBeInstanceOf(RangeError)
    expect(Object.keys(error)).toEqual(['detail', 'code'])
  })

  test('under the name of a class that this side does not have', () => {
    class PaymentError extends Error {}
    const error = decodeError(encodeError(new PaymentError('refused')))
    expect([error.name, String(error)]).toEqual(['PaymentError', 'PaymentError: refused'])
  })

  test('and a ReeveError keeps its code and subject', () => {
    const error = decodeError(encodeError(new ReeveError('REEVE_JOB_DISCARDED', 'm', { jobId: 'j', attempt: 2 })))
    expect(error).toMatchObject({ code: 'REEVE_JOB_DISCARDED', jobId: 'j', attempt: 2 })
  })

  test('a field cannot reach the prototype of anything', () => {
    const error = decodeError({
      name: 'constructor',
      message: 'm',
      fields: JSON.parse('{"__proto__":{"polluted":true},"name":"x"}'),
    })
    expect(error).toBeInstanceOf(Error)
    expect(error.name).toBe('constructor')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})
