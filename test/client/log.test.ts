import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { levelOf, type RuntimeLogger, relayLines } from '../../src/client/log-relay.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import { runProgram } from '../support/runtime/program.ts'
import type jobs from './jobs/talks.ts'

const jobsUrl = new URL('./jobs/talks.ts', import.meta.url)

/** A real pino whose lines are kept. */
function keepingLogger(level: string): { readonly logger: RuntimeLogger; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = []
  return { lines, logger: pino({ level, base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) }) }
}

describe('a pino logger that is passed in', () => {
  test('gets the lines of handlers and of the runtime, each with the job, kind, attempt and token', async () => {
    const { logger, lines } = keepingLogger('info')
    using scratch = new Scratch()
    const runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { logger })
    const handle = await runtime.enqueue('talks')
    await rejection(handle.result())
    await runtime.close()
    const subject = { jobId: handle.id, kind: 'talks', queue: 'default', attempt: 1, token: 1 }
    expect(lines.filter(({ jobId }) => jobId === handle.id)).toEqual([
      expect.objectContaining({ ...subject, level: 30, msg: 'resizing', width: 200, at: expect.any(Number) }),
      expect.objectContaining({ ...subject, level: 50, msg: 'odd pixel', err: expect.objectContaining({ name: 'TypeError' }) }),
      expect.objectContaining({
        ...subject,
        level: 50,
        msg: 'a job was discarded',
        error: expect.objectContaining({ message: 'and failed' }),
      }),
    ])
  })

  test('gets the last lines of a handler that is ended with its thread, and its error keeps the last twenty', async () => {
    const { logger, lines } = keepingLogger('debug')
    using scratch = new Scratch()
    const runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { logger })
    const error = await rejection((await runtime.enqueue('talksAndHangs')).result())
    await runtime.close()
    const said = Array.from({ length: 25 }, (_, index) => `line ${index + 1}`)
    expect(lines.map(({ msg }) => msg).filter((msg) => said.includes(String(msg)))).toEqual(said)
    expect(error.cause).toMatchObject({ code: 'REEVE_ATTEMPT_TIMED_OUT', logTail: said.slice(5) })
  })

  test('of level debug gets what is finer too', async () => {
    const { logger, lines } = keepingLogger('debug')
    using scratch = new Scratch()
    const runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { logger })
    await rejection((await runtime.enqueue('talks')).result())
    await runtime.close()
    expect(lines.map(({ msg }) => msg)).toContain('too fine')
  })
})

test('without a logger nothing is written to stdout or stderr', async () => {
  using scratch = new Scratch()
  const end = await runProgram(new URL('./programs/silent.ts', import.meta.url), [scratch.database])
  expect(end).toEqual({ code: 0, signal: null, stdout: '', stderr: '' })
})

test('the level of a logger decides which lines are made; one of an unknown level gets info', () => {
  const logger = keepingLogger('info').logger
  expect(levelOf(undefined)).toBe('silent')
  expect(levelOf({ ...logger, level: 'silent' })).toBe('silent')
  expect(levelOf({ ...logger, level: 'warn' })).toBe('warn')
  expect(levelOf({ ...logger, level: 'notice' })).toBe('info')
})

test('a line goes to the method of its level, without its own level and message among the fields', () => {
  const calls: unknown[] = []
  const method = (name: string) => (fields: object, message: string) => void calls.push([name, fields, message])
  const [trace, debug, info, warn, error, fatal] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map(method)
  relayLines(['{"level":40,"jobId":"j","msg":"careful"}', '{"level":60}'], {
    trace,
    debug,
    info,
    warn,
    error,
    fatal,
  } as RuntimeLogger)
  expect(calls).toEqual([
    ['warn', { jobId: 'j' }, 'careful'],
    ['fatal', {}, ''],
  ])
})
