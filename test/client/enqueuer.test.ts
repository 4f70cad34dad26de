import { describe, expect, test } from 'vitest'
import { Enqueuer } from '../../src/client/enqueuer.ts'
import { ReeveError } from '../../src/errors.ts'
import { FakeThread } from '../support/runtime/fake-thread.ts'
import { rejection } from '../support/runtime/open-runtime.ts'
import { newJob } from '../support/store/commands.ts'

const died = new ReeveError('REEVE_SUPERVISOR_DIED', 'it died', { cause: new Error('why') })

describe('enqueues', () => {
  test('of one tick go in one message, those of the next tick in another', async () => {
    const thread = new FakeThread()
    const enqueuer = new Enqueuer(thread)
    const calls = [enqueuer.enqueue([newJob('a')]), enqueuer.enqueue([newJob('b'), newJob('c')])]
    expect(thread.sent).toEqual([])
    await Promise.resolve()
    const later = enqueuer.enqueue([newJob('d')])
    await Promise.resolve()
    expect(thread.sent).toEqual([
      {
        type: 'enqueue',
        calls: [
          { call: 1, jobs: [newJob('a')] },
          { call: 2, jobs: [newJob('b'), newJob('c')] },
        ],
      },
      { type: 'enqueue', calls: [{ call: 3, jobs: [newJob('d')] }] },
    ])
    enqueuer.acknowledged([1, 2, 3])
    await Promise.all([...calls, later])
  })

  test('are each resolved or rejected by their own answer', async () => {
    const enqueuer = new Enqueuer(new FakeThread())
    const [good, bad] = [enqueuer.enqueue([newJob('good')]), rejection(enqueuer.enqueue([newJob('bad')]))]
    enqueuer.refused(2, new ReeveError('REEVE_DATABASE_FULL', 'the disk is full'))
    enqueuer.acknowledged([1])
    await good
    const error = await bad
    expect(error).toMatchObject({
      code: 'REEVE_JOB_NOT_ENQUEUED',
      jobId: 'bad',
      kind: 'resize',
      cause: { code: 'REEVE_DATABASE_FULL' },
    })
    expect(error.message).toBe("A job of kind 'resize' was not enqueued: the disk is full")
  })

  test('of several jobs are refused as one', async () => {
    const enqueuer = new Enqueuer(new FakeThread())
    const refused = rejection(enqueuer.enqueue([newJob('a'), newJob('b')]))
    enqueuer.refused(1, new ReeveError('REEVE_DATABASE_IO', 'no disk'))
    expect(await refused).toMatchObject({ message: '2 jobs were not enqueued: no disk', jobId: undefined })
  })

  test('that are open when the thread dies are rejected with what they were about; later ones go to the next thread', async () => {
    const thread = new FakeThread()
    const enqueuer = new Enqueuer(thread)
    const open = rejection(enqueuer.enqueue([newJob('a')]))
    enqueuer.rejectAll(died, false)
    expect(await open).toMatchObject({ code: 'REEVE_SUPERVISOR_DIED', jobId: 'a', kind: 'resize', cause: { message: 'why' } })
    const next = enqueuer.enqueue([newJob('b')])
    enqueuer.acknowledged([1, 2])
    await next
  })

  test('are refused at once when there will be no next thread', async () => {
    const thread = new FakeThread()
    const enqueuer = new Enqueuer(thread)
    enqueuer.rejectAll(died, true)
    expect(await rejection(enqueuer.enqueue([newJob('a')]))).toBe(died)
    expect(thread.sent).toEqual([])
  })

  test('an answer to a call that nobody made changes nothing', () => {
    const enqueuer = new Enqueuer(new FakeThread())
    enqueuer.acknowledged([7])
    enqueuer.refused(8, new Error('no'))
  })
})
