import { expect, test } from 'vitest'
import { LogWriter } from '../../src/actors/log-writer.ts'
import type { LogRecord } from '../../src/threads/protocol.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { StubCommitter } from '../support/sim/stub-store.ts'
import { lease } from '../support/store/commands.ts'

function open(max = 5) {
  const clock = new ManualClock()
  const committer = new StubCommitter()
  const writer = new LogWriter(lease('a', 3), 2, { clock, committer, jobLogs: { level: 30, max } })
  const say = (...messages: string[]) => {
    for (const message of messages) writer.write({ level: 30, message, fields: null, at: clock.wall() })
  }
  const written = () => committer.of('log').map(({ lines }) => lines.map(({ line, message }) => `${line} ${message}`))
  return { clock, committer, writer, say, written }
}

test('lines are written a quarter of a second later, in one batch under the lease', async () => {
  const { clock, committer, say, written } = open()
  say('one', 'two')
  await clock.advance(249)
  expect(written()).toEqual([])
  await clock.advance(1)
  expect(written()).toEqual([['1 one', '2 two']])
  expect(committer.of('log')).toMatchObject([{ lease: lease('a', 3), attempt: 2, keep: 5 }])
})

test('the lines of an attempt that ends before go with its end, and later ones nowhere', async () => {
  const { clock, writer, say, written } = open()
  say('last words')
  writer.stop()
  expect(written()).toEqual([['1 last words']])
  say('too late')
  writer.stop()
  await clock.advance(1_000)
  expect(written()).toHaveLength(1)
})

test('a flood is written as its last lines, and a line before them that says how many are missing', async () => {
  const { clock, say, written } = open(5)
  say(...Array.from({ length: 100_000 }, (_, index) => `said ${index + 1}`))
  await clock.advance(250)
  const [batch] = written()
  expect(batch).toEqual([
    '99996 99996 lines were dropped: the handler logged faster than lines are kept',
    ...[99_997, 99_998, 99_999, 100_000].map((line) => `${line} said ${line}`),
  ])
})

test('the next batch waits for the last one: a store that stands still is not sent more', async () => {
  const { clock, committer, say, written } = open(5)
  say('one')
  await clock.advance(250)
  say('two', 'three', 'four', 'five', 'six')
  await clock.advance(60_000)
  expect(written()).toHaveLength(1)
  committer.of('log')[0]?.answer({ type: 'logged', applied: true })
  await clock.advance(250)
  expect(written()[1]).toEqual([
    '2 1 line was dropped: the handler logged faster than lines are kept',
    '3 three',
    '4 four',
    '5 five',
    '6 six',
  ])
})

test('a batch that the database refuses is lost, and the next one is written', async () => {
  const { clock, committer, say, written } = open()
  say('one')
  await clock.advance(250)
  committer.of('log')[0]?.fail(new Error('full'))
  await clock.turns()
  say('two')
  await clock.advance(250)
  expect(written()[1]).toEqual(['2 two'])
})

test('what is finer than the level is not kept, nor numbered', async () => {
  const { clock, writer, say, written } = open()
  writer.write({ level: 20, message: 'fine', fields: null, at: 0 })
  say('coarse')
  await clock.advance(250)
  expect(written()).toEqual([['1 coarse']])
})

test('the fields of a line are bounded', async () => {
  const { clock, committer, writer } = open()
  const record: LogRecord = { level: 30, message: '', fields: { text: 'x'.repeat(100_000) }, at: 0 }
  writer.write(record)
  writer.write({ ...record, fields: { width: 200 } })
  await clock.advance(250)
  const [long, short] = committer.of('log')[0]?.lines ?? []
  expect(long?.fields?.length).toBeLessThan(9_000)
  expect(JSON.parse(long?.fields ?? '')).toEqual({ cut: expect.stringContaining('100') })
  expect(short?.fields).toBe('{"width":200}')
})

test('where no lines are kept nothing is written', async () => {
  const clock = new ManualClock()
  const committer = new StubCommitter()
  const writer = new LogWriter(lease('a', 1), 1, { clock, committer, jobLogs: null })
  writer.write({ level: 60, message: 'fatal', fields: null, at: 0 })
  writer.stop()
  await clock.advance(1_000)
  expect(committer.submitted).toEqual([])
})
