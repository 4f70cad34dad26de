import { expect, test } from 'vitest'
import { EventFeed } from '../../src/actors/event-feed.ts'
import { EventLog } from '../../src/actors/event-log.ts'
import type { EventsPage, EventsQuery } from '../../src/persistence/event-log.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { StubCommitter } from '../support/sim/stub-store.ts'

const query: EventsQuery = { after: 0, types: null, limit: 10 }
const nothing: EventsPage = { events: [], cursor: 0, isPruned: false, hasMore: false }
const something = { ...nothing, events: [{ seq: 1 } as EventsPage['events'][number]], cursor: 1 }

/** A feed whose store answers with these pages, the last of them for ever. */
function open(...pages: (EventsPage | null)[]) {
  const clock = new ManualClock()
  const asked: EventsQuery['after'][] = []
  let changed: () => void = () => undefined
  const events = async ({ after }: EventsQuery) => {
    asked.push(after)
    changed()
    return (pages.length > 1 ? pages.shift() : pages[0]) ?? null
  }
  const feed = new EventFeed({ store: { events }, clock })
  const next = (given: Partial<EventsQuery> = {}) => {
    const answer: { page?: EventsPage | null } = {}
    void feed.next({ ...query, ...given }).then((page) => {
      answer.page = page
    })
    return answer
  }
  return { clock, asked, feed, next, onAsk: (then: () => void) => (changed = then) }
}

test('who has read all waits for a commit, and looks again at each', async () => {
  const { clock, asked, feed, next } = open(nothing, nothing, something)
  const answer = next()
  await clock.turns()
  expect(asked).toHaveLength(1)
  feed.recheck()
  await clock.turns()
  expect([asked.length, answer.page]).toEqual([2, undefined])
  feed.recheck()
  await clock.turns()
  expect(answer.page).toBe(something)
})

test('a commit between the look and the wait is not missed', async () => {
  const { clock, feed, next, onAsk } = open(nothing, something)
  onAsk(() => feed.recheck())
  const answer = next()
  await clock.turns()
  expect(answer.page).toBe(something)
})

test('events that nobody asked for are passed over, with a turn for others between the pages', async () => {
  const { clock, asked, next } = open(
    { ...nothing, cursor: 10, hasMore: true },
    { ...nothing, cursor: 20, hasMore: true },
    something,
  )
  const answer = next()
  await clock.turns()
  expect(asked).toEqual([0, 10, 20])
  expect(answer.page).toBe(something)
})

test('a wait without an event ends after a while, at the place that was reached', async () => {
  const { clock, next } = open({ ...nothing, cursor: 7 })
  const answer = next()
  await clock.advance(19_999)
  expect(answer.page).toBeUndefined()
  await clock.advance(1)
  expect(answer.page).toMatchObject({ events: [], cursor: 7 })
})

test.each([
  ['the stream is off', null, {}],
  ['events are gone', { ...nothing, isPruned: true }, {}],
  ['the end is asked for', nothing, { after: 'end' as const }],
])('nobody waits where %s', async (_, page, given) => {
  const { clock, next } = open(page)
  const answer = next(given)
  await clock.turns()
  expect(answer.page).toBe(page)
})

test('old events are forgotten batch by batch, one commit each, until none is left; then again later', async () => {
  const clock = new ManualClock()
  const committer = new StubCommitter()
  const batches = [10, 20, null]
  const log = new EventLog({
    ...{ committer, clock, wanted: undefined, failed: () => undefined },
    store: { oldEvents: async () => batches.shift() ?? null },
  })
  await log.start()
  await clock.advance(2_000)
  const pruned = () => committer.of('prune-events').map(({ through }) => through)
  expect(pruned()).toEqual([10])
  committer.of('prune-events')[0]?.answer({ type: 'events-pruned' })
  await clock.turns()
  expect(pruned()).toEqual([10, 20])
  committer.of('prune-events')[1]?.answer({ type: 'events-pruned' })
  await clock.turns()
  batches.push(30)
  await clock.advance(2_000)
  expect(pruned()).toEqual([10, 20, 30])
  log.stop()
})

test.each([
  ['begins the stream', { maxCount: 5, maxAgeMs: null }],
  ['ends it', null],
])('a start %s where the options say so', async (_, wanted) => {
  const committer = new StubCommitter()
  const log = new EventLog({
    ...{ committer, clock: new ManualClock(), wanted, failed: () => undefined },
    store: { oldEvents: async () => null },
  })
  void log.start()
  expect(committer.of('keep-events').map(({ limits }) => limits)).toEqual([wanted])
})
