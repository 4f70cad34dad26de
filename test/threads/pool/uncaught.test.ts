import { expect, test } from 'vitest'
import { openPool } from '../../support/threads/test-pool.ts'

test.each([
  ['throwsInTimer', 'nobody caught me'],
  ['forgetsRejection', 'forgotten'],
])('%s: an error that nobody awaited fails the attempt that caused it, and its thread is replaced', async (kind, message) => {
  await using pool = await openPool('faults.ts')
  const run = await pool.start(kind)
  expect(await run.failed()).toMatchObject({
    code: 'REEVE_HANDLER_UNCAUGHT',
    message: expect.stringContaining(message),
    cause: { message },
  })
  expect(run.end).toEqual({ type: 'exited', exitCode: 1, error: null, terminated: false })
  await (await pool.start('nothing')).settled()
  expect(pool.lateFaults).toEqual([])
})

test('an error of a job that is over is told with the name of that job, and its thread is replaced', async () => {
  await using pool = await openPool('faults.ts')
  const run = await pool.start('throwsAfterReturning')
  expect(await run.settled()).toMatchObject({ type: 'returned' })
  await pool.until(() => pool.lateFaults.length > 0)
  expect(pool.lateFaults).toMatchObject([
    { jobId: 'job-1', kind: 'throwsAfterReturning', error: { code: 'REEVE_HANDLER_UNCAUGHT', cause: { message: 'too late' } } },
  ])
  const next = await pool.start('nothing')
  expect(await next.settled()).toMatchObject({ type: 'returned' })
  expect(next.run.threadId).not.toBe(run.run.threadId)
})

test('an error of a job that is over is not charged to the job that runs by then', async () => {
  await using pool = await openPool('faults.ts')
  await (await pool.start('throwsWhenAsked')).settled()
  const bystander = await pool.start('asksForThrow')
  const error = await bystander.failed('bystander')
  expect(error.message).toContain('throwsWhenAsked')
  expect(bystander.end).toMatchObject({ type: 'exited', terminated: false })
  expect(pool.lateFaults).toMatchObject([
    { kind: 'throwsWhenAsked', error: { cause: { message: 'thrown in the time of another' } } },
  ])
})

test('a late process.exit is told as a fault of the job that was over', async () => {
  await using pool = await openPool('faults.ts')
  await (await pool.start('exitsMuchLater')).settled()
  await pool.until(() => pool.lateFaults.length > 0)
  expect(pool.lateFaults).toMatchObject([
    { kind: 'exitsMuchLater', error: { code: 'REEVE_THREAD_EXITED', message: expect.stringContaining('exit code 4') } },
  ])
})

test('a job that was on its way to a thread that an earlier job ends is a bystander', async () => {
  await using pool = await openPool('faults.ts')
  await (await pool.start('blocksThenExits')).settled()
  const bystander = await pool.start('nothing')
  expect(await bystander.failed('bystander')).toMatchObject({ code: 'REEVE_THREAD_EXITED' })
  expect(bystander.told).toEqual(['outcome', 'over'])
  expect(pool.lateFaults).toMatchObject([{ kind: 'blocksThenExits' }])
})

test('a handler that talks on after its outcome is not heard', async () => {
  await using pool = await openPool('faults.ts')
  const ghost = await pool.start('talksAfterReturning')
  await ghost.settled()
  const next = await pool.start('nothing')
  await next.settled()
  expect([ghost.told, next.told]).toEqual([
    ['outcome', 'over'],
    ['outcome', 'over'],
  ])
})
