import { expect, test } from 'vitest'
import { enqueueSlices } from '../../src/client/enqueue-slices.ts'
import { Enqueuer } from '../../src/client/enqueuer.ts'
import type { ClientMessage } from '../../src/supervisor/messages.ts'
import { newJob } from '../support/store/commands.ts'

/** A clock that each row moves by a millisecond, and a thread that acknowledges. */
function bench() {
  let now = 0
  let turns = 0
  const sent: ClientMessage[] = []
  const enqueuer = new Enqueuer({
    send(message) {
      sent.push(message)
      if (message.type === 'enqueue') queueMicrotask(() => enqueuer.acknowledged(message.calls.map(({ call }) => call)))
    },
  })
  const clock = {
    mono: () => now,
    after: () => ({ cancel: () => undefined }),
    nextTurn(run: () => void) {
      turns++
      queueMicrotask(run)
    },
  }
  const rowOf = (index: number) => {
    now++
    return newJob(`job-${index}`)
  }
  return { services: { enqueuer, clock }, rowOf, sent, turns: () => turns }
}

test('between two slices of a few milliseconds the app has a turn, and the last one brings the call', async () => {
  const { services, rowOf, sent, turns } = bench()
  const { jobs } = await enqueueSlices(10, rowOf, services)
  expect(jobs.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, index) => `job-${index}`))
  expect(turns()).toBe(2)
  expect(sent.map((message) => ('jobs' in message ? message.jobs.length : message.type))).toEqual([4, 4, 'enqueue'])
  expect(sent.at(-1)).toMatchObject({ calls: [{ call: 1, parts: 2, jobs: [{ id: 'job-8' }, { id: 'job-9' }] }] })
})

test('a few jobs are one message in the same tick', () => {
  const { services, rowOf, sent } = bench()
  void enqueueSlices(2, rowOf, services)
  void enqueueSlices(1, rowOf, services)
  return Promise.resolve().then(() => expect(sent).toMatchObject([{ type: 'enqueue', calls: [{ call: 1 }, { call: 2 }] }]))
})

test('what fails between two slices is forgotten by the supervisor', async () => {
  const { services, rowOf, sent } = bench()
  const failing = enqueueSlices(10, (index) => (index === 6 ? raise() : rowOf(index)), services)
  await expect(failing).rejects.toThrow('no row')
  expect(sent.map(({ type }) => type)).toEqual(['enqueue-part', 'enqueue-abandoned'])
})

function raise(): never {
  throw new Error('no row')
}
