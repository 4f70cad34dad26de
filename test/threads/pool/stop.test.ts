import { expect, test } from 'vitest'
import { decodePayload } from '../../../src/job/payload.ts'
import { openPool } from '../../support/threads/test-pool.ts'

test('a stop aborts the signal of code that awaits, with an error that says why', async () => {
  await using pool = await openPool('talk.ts')
  const run = await pool.start('waitsForSignal')
  await run.said('waiting')
  run.run.requestStop('drain')
  run.run.requestStop('cancel')
  expect(await run.failed()).toMatchObject({
    name: 'ReeveError',
    code: 'REEVE_ATTEMPT_STOPPED',
    message: expect.stringContaining('shutting down'),
  })
  expect(run.end).toEqual({ type: 'done' })
})

test('a stop reaches code that never awaits, and a signal that is first read afterwards is aborted', async () => {
  await using pool = await openPool('talk.ts')
  const run = await pool.start('readsSignalLate')
  await run.said('spinning')
  run.run.requestStop('cancel')
  const outcome = await run.settled()
  expect(outcome.type === 'returned' && decodePayload(outcome.result)).toBe(true)
})

test('throwIfStopped ends a loop', async () => {
  await using pool = await openPool('talk.ts')
  const run = await pool.start('throwsIfStopped')
  await run.said('spinning')
  run.run.requestStop('timeout')
  expect(await run.failed()).toMatchObject({
    code: 'REEVE_ATTEMPT_STOPPED',
    message: expect.stringContaining('timeout'),
    fields: { jobId: 'job-1', kind: 'throwsIfStopped', attempt: 2 },
  })
})

test('an abort listener that throws fails its own job', async () => {
  await using pool = await openPool('talk.ts')
  const run = await pool.start('throwsInAbortListener')
  await run.said('waiting')
  run.run.requestStop('cancel')
  expect(await run.failed()).toMatchObject({ code: 'REEVE_HANDLER_UNCAUGHT', cause: { message: 'listener broke' } })
})

test('progress and log lines arrive while the handler blocks its thread, and the last ones before a kill are not lost', async () => {
  await using pool = await openPool('talk.ts')
  const run = await pool.start('reportsThenSpins')
  await run.said('last words')
  run.run.terminate()
  await run.ended()
  expect(run.fractions).toEqual([0.25, 1])
  expect(run.lines.map(({ level, message }) => [level, message])).toEqual([
    [30, 'working'],
    [40, 'careful'],
    [50, 'too far'],
    [20, 'odd fields'],
  ])
  expect(run.lines.map(({ fields }) => fields)).toMatchObject([
    null,
    { disk: 'full', err: { name: 'TypeError', message: 'odd' } },
    { err: { name: 'RangeError' } },
    { handler: '[function handler]' },
  ])
  expect(run.lines[0]?.at).toBeGreaterThan(1e12)
})

test('log lines below the level of the pool are not sent', async () => {
  await using pool = await openPool('talk.ts', { logLevel: 40 })
  const run = await pool.start('reportsThenSpins')
  await run.said('last words')
  run.run.terminate()
  await run.ended()
  expect(run.lines.map(({ message }) => message)).toEqual(['careful', 'too far'])
})

test('no line is lost when the thread ends right after it', async () => {
  await using pool = await openPool('talk.ts')
  const run = await pool.start('logsMuch')
  expect(await run.ended()).toMatchObject({ exitCode: 1 })
  expect(run.lines.map(({ message }) => message)).toEqual(Array.from({ length: 300 }, (_, line) => `line ${line}`))
})

test('a fraction outside 0 to 1 is cut to it, and one that is no number is unknown', async () => {
  await using pool = await openPool('talk.ts')
  const run = await pool.start('oddFractions')
  await run.settled()
  expect(run.fractions).toEqual([null, 0, 0.5, 1, null])
})
