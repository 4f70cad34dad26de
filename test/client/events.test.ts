import { expect, test } from 'vitest'
import { EventHub } from '../../src/client/events.ts'
import type { JobEvent } from '../../src/job/job-events.ts'
import type { LeaseToken } from '../../src/job/lease.ts'
import { jobId } from '../support/store/commands.ts'

const subject = { jobId: jobId('j'), kind: 'resize', queue: 'default', attempt: 1, token: 1 as LeaseToken }

test('the supervisor is told which events somebody listens to, and only of its own', () => {
  const told: (readonly string[])[] = []
  const hub = new EventHub((events) => told.push(events))
  const offs = [
    hub.on('completed', () => {}),
    hub.on('error', () => {}),
    hub.on('completed', () => {}),
    hub.on('progress', () => {}),
  ]
  expect(told.at(-1)).toEqual(['completed', 'progress'])
  offs[0]?.()
  expect(told.at(-1)).toEqual(['completed', 'progress'])
  offs[2]?.()
  expect(told.at(-1)).toEqual(['progress'])
  offs[3]?.()
  expect(hub.wanted()).toEqual([])
})

test('events are decoded: results as they were returned, errors as errors', () => {
  const hub = new EventHub(() => {})
  const heard: unknown[] = []
  for (const name of ['completed', 'retrying', 'discarded'] as const) hub.on(name, (event) => heard.push(event))
  const events: readonly JobEvent[] = [
    { type: 'completed', ...subject, result: '{"a":1}', durationMs: 3 },
    { type: 'retrying', ...subject, error: { name: 'RangeError', message: 'far' }, runAt: 5 },
    { type: 'discarded', ...subject, error: null },
  ]
  hub.receive(events)
  expect(heard).toEqual([
    { ...subject, result: { a: 1 }, durationMs: 3 },
    { ...subject, error: expect.any(RangeError), runAt: 5 },
    { ...subject, error: null },
  ])
})

test('an error event that nobody listens to takes nothing down', () => {
  new EventHub(() => {}).emit('error', { error: new Error('unheard') })
})

test('a listener that is added or taken off by another one during an event does not change who hears it', () => {
  const hub = new EventHub(() => {})
  const heard: string[] = []
  const off: (() => void)[] = []
  hub.on('restarted', () => {
    heard.push('first')
    off[0]?.()
    hub.on('restarted', () => heard.push('added'))
  })
  off.push(hub.on('restarted', () => heard.push('second')))
  hub.emit('restarted', {})
  expect(heard).toEqual(['first', 'second'])
  hub.emit('restarted', {})
  expect(heard).toEqual(['first', 'second', 'first', 'added'])
})
