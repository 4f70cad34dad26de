import { expect, test } from 'vitest'
import { Notifier } from '../../src/actors/notifier.ts'
import type { JobId } from '../../src/job/lease.ts'
import type { JobRow } from '../../src/persistence/job-row.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { jobId } from '../support/store/commands.ts'

function open() {
  const clock = new ManualClock()
  const sent: string[] = []
  const rows = new Map<JobId, Partial<JobRow> | null>()
  const notifier = new Notifier({
    clock,
    store: {
      finished: async (ids) => new Map(ids.filter((id) => rows.has(id)).map((id) => [id, rows.get(id) as JobRow | null])),
    },
    outbox: {
      ended: (ends) => void sent.push(`ended ${ends.map(({ jobId, state }) => `${jobId} ${state}`)}`),
      missing: (ids) => void sent.push(`missing ${ids}`),
      events: (events) => void sent.push(`events ${events.map(({ type, jobId }) => `${type} ${jobId}`)}`),
    },
    failed: (error) => void sent.push(`failed ${error}`),
  })
  return { clock, sent, rows, notifier }
}

const end = (name: string) => ({
  jobId: jobId(name),
  kind: 'resize',
  attempt: 1,
  state: 'completed' as const,
  result: null,
  error: null,
})
const subject = (name: string) => ({ jobId: jobId(name), kind: 'resize', queue: 'default', attempt: 1, token: 1 as never })

test('the ends of one turn are told in one message, each once', async () => {
  const { clock, sent, notifier } = open()
  notifier.watch([jobId('a'), jobId('b')])
  notifier.ended(end('a'))
  notifier.ended(end('b'))
  notifier.ended(end('a'))
  expect(sent).toEqual([])
  await clock.turns()
  expect(sent).toEqual(['ended a completed,b completed'])
})

test('the end of a job that nobody waits for is not told', async () => {
  const { clock, sent, notifier } = open()
  notifier.watch([jobId('a')])
  notifier.unwatch([jobId('a')])
  notifier.ended(end('a'))
  await clock.turns()
  expect(sent).toEqual([])
})

test('an end that came before somebody waited for it is told all the same', async () => {
  const { clock, sent, rows, notifier } = open()
  rows.set(jobId('a'), { id: jobId('a'), state: 'cancelled' })
  notifier.watch([jobId('a')])
  await clock.turns()
  expect(sent).toEqual(['ended a cancelled'])
})

test('a job that no row has is told to be missing, once', async () => {
  const { clock, sent, rows, notifier } = open()
  rows.set(jobId('a'), null)
  notifier.watch([jobId('a')])
  await clock.turns()
  notifier.recheck()
  await clock.turns()
  expect(sent).toEqual(['missing a'])
})

test('an end in another process is found at a recheck', async () => {
  const { clock, sent, rows, notifier } = open()
  notifier.watch([jobId('a')])
  await clock.turns()
  rows.set(jobId('a'), { id: jobId('a'), state: 'discarded' })
  notifier.recheck()
  await clock.turns()
  expect(sent).toEqual(['ended a discarded'])
})

test('only events that somebody listens to are sent', async () => {
  const { clock, sent, notifier } = open()
  notifier.listen(['cancelled'])
  notifier.event({ type: 'started', ...subject('a'), threadId: 1 })
  notifier.event({ type: 'cancelled', ...subject('b') })
  await clock.turns()
  expect(sent).toEqual(['events cancelled b'])
  expect(notifier.wants('started')).toBe(false)
})

test('a flush sends what waits, and the turn that was asked for then has nothing left to send', async () => {
  const { clock, sent, notifier } = open()
  notifier.watch([jobId('a')])
  notifier.ended(end('a'))
  notifier.flush()
  expect(sent).toEqual(['ended a completed'])
  await clock.turns()
  expect(sent).toEqual(['ended a completed'])
})
