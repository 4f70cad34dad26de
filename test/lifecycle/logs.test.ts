import { expect, test } from 'vitest'
import type jobs from '../client/jobs/talks.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'

const jobsUrl = new URL('../client/jobs/talks.ts', import.meta.url)

test('the lines of a handler are kept with its job, and read page by page', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const { id, ...handle } = await runtime.enqueue('talks').then((made) => ({ id: made.id, result: () => made.result() }))
  await rejection(handle.result())
  const { lines, cursor } = await runtime.logs(id, { limit: 1 })
  expect(lines).toEqual([
    { attempt: 1, line: 1, at: expect.any(Number), level: 'info', message: 'resizing', fields: { width: 200 } },
  ])
  const rest = await runtime.logs(id, { after: cursor ?? '' })
  expect(rest.lines).toMatchObject([{ line: 2, level: 'error', fields: { err: { name: 'TypeError', message: 'odd pixel' } } }])
  const end = await runtime.logs(id, { after: rest.cursor ?? '' })
  expect(end).toEqual({ lines: [], cursor: rest.cursor })
})

test('the last lines of a handler that is ended with its thread are kept too, as many as the option says', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { jobLogs: { max: 3 } })
  const handle = await runtime.enqueue('talksAndHangs')
  await rejection(handle.result())
  const { lines } = await runtime.logs(handle.id)
  expect(lines.map(({ line, level, message }) => [line, level, message])).toEqual([
    [23, 'warn', '23 lines were dropped: the handler logged faster than lines are kept'],
    [24, 'info', 'line 24'],
    [25, 'info', 'line 25'],
  ])
})

test('a finer level keeps finer lines, and false keeps none', async () => {
  using scratch = new Scratch()
  await using fine = await openRuntime<typeof jobs>(scratch, jobsUrl, { jobLogs: { level: 'debug' } })
  const talks = await fine.enqueue('talks')
  await rejection(talks.result())
  expect((await fine.logs(talks.id)).lines.map(({ message }) => message)).toContain('too fine')
  await fine.close()
  await using none = await openRuntime<typeof jobs>(scratch, jobsUrl, { jobLogs: false })
  const silent = await none.enqueue('talks')
  await rejection(silent.result())
  expect(await none.logs(silent.id)).toEqual({ lines: [], cursor: null })
})

test('lines of an unknown job, a wrong cursor and wrong options are refused by name', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  expect(await rejection(runtime.logs('no-such-job'))).toMatchObject({ code: 'REEVE_JOB_NOT_FOUND', jobId: 'no-such-job' })
  for (const [option, options] of [
    ['after', { after: 'page 2' }],
    ['after', { after: '' }],
    ['limit', { limit: 0 }],
    ['limit', { limit: 1_001 }],
  ] as const) {
    const { code, message } = await rejection(runtime.logs('a', options))
    expect([code, message]).toEqual(['REEVE_OPTION_INVALID', expect.stringContaining(`'${option}'`)])
  }
  for (const [option, jobLogs] of [
    ['jobLogs', 7],
    ['jobLogs.max', { max: 1 }],
    ['jobLogs.level', { level: 'loud' }],
    ['jobLogs.lines', { lines: 1 }],
  ] as const) {
    const { code, message } = await rejection(openRuntime(scratch, jobsUrl, { jobLogs: jobLogs as never }))
    expect([code, message]).toEqual(['REEVE_OPTION_INVALID', expect.stringContaining(`'${option}'`)])
  }
})
