import { expect, test } from 'vitest'
import { decodePayload } from '../../../src/job/payload.ts'
import type { Answered, AskRequest } from '../../../src/threads/asks.ts'
import type { PoolOptions } from '../../../src/threads/piscina-pool.ts'
import { ProcessPool } from '../../../src/threads/process-pool.ts'
import { type MakePool, openPool, type RecordedRun } from '../../support/threads/test-pool.ts'

const carriers: { readonly on: string; readonly make: MakePool | undefined }[] = [
  { on: 'a thread', make: undefined },
  { on: 'a child process', make: (options: PoolOptions) => new ProcessPool(options) },
]

async function resultOf(run: RecordedRun): Promise<unknown> {
  const outcome = await run.settled()
  return outcome.type === 'returned' ? decodePayload(outcome.result) : outcome
}

/** What a store would say. */
function answering(request: AskRequest): Answered {
  const stored = { value: '{"a":1}', version: 'v1' }
  return {
    ok: true,
    value: request.type === 'key-value' && request.operation.type === 'get' ? { type: 'found', stored } : { type: 'written' },
  }
}

test.each(carriers)('on $on a question is answered while the handler waits', async ({ make }) => {
  await using pool = await openPool('asks.ts', {}, make)
  const run = await pool.start('reads', 'k')
  run.answers = answering
  expect(await resultOf(run)).toEqual({ a: 1 })
  expect(run.questions).toEqual([{ type: 'key-value', operation: { type: 'get', key: 'k' } }])
})

test.each(carriers)('on $on an answer that is an error is thrown as what it was', async ({ make }) => {
  await using pool = await openPool('asks.ts', {}, make)
  const run = await pool.start('reads', 'k')
  run.answers = () => ({
    ok: false,
    error: { name: 'ReeveError', message: 'gone', code: 'REEVE_ATTEMPT_STOPPED', fields: { jobId: 'job-1' } },
  })
  expect(await run.failed()).toMatchObject({ name: 'ReeveError', code: 'REEVE_ATTEMPT_STOPPED', fields: { jobId: 'job-1' } })
})

test('all that was asked comes before the outcome, awaited or not, and the thread goes on', async () => {
  await using pool = await openPool('asks.ts')
  const run = await pool.start('setsAndForgets', 200)
  expect(await resultOf(run)).toBe('done')
  expect(run.questions).toHaveLength(200)
  expect(run.told.at(-2)).toBe('outcome')
  // Its answers come while the next run is at work, and meet neither it nor its questions.
  const { threadId } = run.run
  const next = await pool.start('reads', 'k')
  for (let question = 1; question <= 200; question++) run.run.answer(question, { ok: true, value: { type: 'written' } })
  next.answers = answering
  expect([await resultOf(next), next.run.threadId]).toEqual([{ a: 1 }, threadId])
})

test('no more than 64 questions of a run are under way at once', async () => {
  await using pool = await openPool('asks.ts')
  const run = await pool.start('setsAndAwaits', 500)
  await run.said('asked')
  for (let answered = 1; answered <= 500; answered++) {
    expect(run.questions.length).toBeLessThan(answered + 64)
    run.run.answer(answered, { ok: true, value: { type: 'written' } })
    await run.until(() => run.questions.length >= Math.min(answered + 64, 500))
  }
  expect(await resultOf(run)).toBe(500)
})

test('a key or a value that cannot be kept is refused before anything is asked', async () => {
  await using pool = await openPool('asks.ts')
  const run = await pool.start('wantsWrongKeys')
  const invalid = 'REEVE_OPTION_INVALID'
  expect(await resultOf(run)).toEqual([invalid, invalid, invalid, invalid, 'REEVE_PAYLOAD_UNCLONEABLE', invalid])
  expect(run.questions).toEqual([])
})
