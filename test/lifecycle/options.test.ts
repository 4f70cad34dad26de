import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRuntime, type EnqueueOptions, type Runtime, type RuntimeOptions } from '../../src/index.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)
const scratch = new Scratch()
afterAll(() => scratch[Symbol.dispose]())

describe('a wrong option of a runtime is refused by name, with its value and what is accepted', () => {
  test.each<[string, object, RegExp]>([
    ['database', { database: ':memory:' }, /'database' is ':memory:'; accepted: .*path/],
    ['database', { database: '' }, /'database' is ''; accepted: .*path/],
    ['database', { database: undefined }, /'database' is undefined/],
    [
      'database',
      { database: new URL('https://example.org/a.db') },
      /'database' is 'https:\/\/example.org\/a.db'; accepted: .*file: URL/,
    ],
    ['jobs', { jobs: undefined }, /'jobs' is undefined; accepted: .*defineJobs/],
    ['jobs', { jobs: 7 }, /'jobs' is 7/],
    ['watch', { watch: 'yes' }, /'watch' is 'yes'; accepted: true or false/],
    ['threads', { threads: -1 }, /'threads' is -1; accepted: a whole number from 0 to 512/],
    ['threads', { threads: 1.5 }, /'threads' is 1.5; accepted: a whole number/],
    ['threads', { threads: '2' }, /'threads' is '2'; accepted: a whole number/],
    ['durability', { durability: 'full' }, /'durability' is 'full'; accepted: 'power' or 'process'/],
    ['queues', { queues: [] }, /'queues' is an array; accepted: .*at least one/],
    ['queues', { queues: 'mail' }, /'queues' is 'mail'/],
    ['queueLimits', { queueLimits: [] }, /'queueLimits' is an array; accepted: an object of queues by name/],
    ['queueLimits.mail.max', { queueLimits: { mail: { max: 1 } } }, /'queueLimits.mail.max' is 1; accepted: no such option/],
    ['queueLimits.mail.concurrency', { queueLimits: { mail: { concurrency: 0 } } }, /'queueLimits.mail.concurrency' is 0/],
    ['resources.gpu', { resources: { gpu: 0 } }, /'resources.gpu' is 0; accepted: a whole number from 1/],
    ['resources.gpu', { resources: { gpu: { limit: 1 } } }, /'resources.gpu' is an object; accepted: .*capacity, reach/],
    ['leaseDuration', { leaseDuration: '10ms' }, /'leaseDuration' is '10ms'; accepted: .*at least 1000 ms/],
    ['leaseDuration', { leaseDuration: Number.POSITIVE_INFINITY }, /'leaseDuration' is Infinity/],
    ['timeout', { timeout: 0 }, /'timeout' is 0; accepted/],
    ['timeout', { timeout: '5 minutes' }, /'timeout' is '5 minutes'; accepted: milliseconds/],
    ['stopGrace', { stopGrace: -5 }, /'stopGrace' is -5; accepted: milliseconds from 0/],
    ['loadTimeout', { loadTimeout: 0 }, /'loadTimeout' is 0/],
    ['memory.heapMb', { memory: { heapMb: 1 } }, /'memory.heapMb' is 1; accepted: a whole number from 8/],
    ['memory', { memory: 64 }, /'memory' is 64; accepted/],
    ['memory', { memory: { heapMB: 64 } }, /'memory.heapMB' is 64; accepted/],
    ['payloadBytesMax', { payloadBytesMax: 0 }, /'payloadBytesMax' is 0; accepted: a whole number from 1/],
    ['logger', { logger: {} }, /'logger' is an object; accepted: .*pino/],
    ['definitions', { definitions: {} }, /'definitions' is an object; accepted: .*defineJobs/],
    ['thread', { thread: 2 }, /'thread' is 2; accepted: no such option; there are database, jobs/],
  ])('%s: %o', async (_option, wrong, message) => {
    const database = scratch.file('refused.db')
    const error = await rejection(createRuntime({ database, jobs: jobsUrl, ...wrong } as RuntimeOptions))
    expect(error).toMatchObject({ code: 'REEVE_OPTION_INVALID', message: expect.stringMatching(message) })
    expect(existsSync(database)).toBe(false)
  })

  test('no options at all', async () => {
    expect(await rejection(createRuntime(undefined as never))).toMatchObject({ code: 'REEVE_OPTION_INVALID' })
  })

  test('a folder that is not there', async () => {
    const database = join(scratch.folder, 'nowhere', 'jobs.db')
    const error = await rejection(createRuntime({ database, threads: 0 }))
    expect(error.code).toBe('REEVE_DATABASE_UNWRITABLE')
    expect(error.message).toContain('nowhere')
  })
})

describe('a wrong option of an enqueue is refused by name, and nothing is stored', () => {
  let runtime: Runtime<typeof jobs>
  beforeAll(async () => {
    runtime = await openRuntime(scratch, undefined, { threads: 0 })
  })
  afterAll(() => runtime.close())

  test.each<[object, RegExp]>([
    [{ priority: 0.5 }, /'priority' is 0.5; accepted: a whole number/],
    [{ priority: 1e7 }, /'priority' is 10000000; accepted: a whole number from -1000000/],
    [{ delay: -1 }, /'delay' is -1; accepted: milliseconds from 0/],
    [{ delay: '1s', runAt: 5 }, /'delay' is '1s'; accepted: either `delay` or `runAt`/],
    [{ runAt: new Date(Number.NaN) }, /'runAt' is 'Invalid Date'; accepted: a valid Date/],
    [{ runAt: 'tomorrow' }, /'runAt' is 'tomorrow'; accepted: a valid Date/],
    [{ queue: '' }, /'queue' is ''; accepted: a name/],
    [{ timeout: 0 }, /'timeout' is 0; accepted: a duration above 0/],
    [{ timeout: null }, /'timeout' is null/],
    [{ retry: 3 }, /'retry' is 3; accepted: an object/],
    [{ retry: { attemptsMax: 0 } }, /'retry.attemptsMax' is 0; accepted: a whole number from 1/],
    [{ retry: { backoff: { base: 'soon' } } }, /'retry.backoff.base' is 'soon'; accepted: milliseconds/],
    [{ retry: { backoff: { base: '2s', max: '1s' } } }, /'retry.backoff.max' is '1s'; accepted: .*not below base/],
    [{ retry: { backoff: { jitter: 2 } } }, /'retry.backoff.jitter' is 2; accepted: a number from 0 to 1/],
    ['soon' as unknown as object, /'options' is 'soon'; accepted: an object with priority, delay/],
    [{ proirity: 3 }, /'proirity' is 3; accepted: no such option; there are priority, delay/],
  ])('%o', async (wrong, message) => {
    const error = await rejection(runtime.enqueue('echo', 1, wrong as EnqueueOptions))
    expect(error).toMatchObject({ code: 'REEVE_OPTION_INVALID', message: expect.stringMatching(message) })
    expect(await runtime.counts()).toMatchObject({ ready: 0 })
  })

  test.each([[''], [undefined], [7], ['x'.repeat(201)]])('a kind that is no name: %o', async (kind) => {
    expect(await rejection(runtime.enqueue(kind as 'echo', 1))).toMatchObject({
      code: 'REEVE_OPTION_INVALID',
      message: expect.stringMatching(/'kind' is/),
    })
  })
})
