import { describe, expect, test } from 'vitest'
import { ReeveError } from '../../src/errors.ts'
import { claimedJob, openDispatcher } from '../support/sim/open-dispatcher.ts'
import type { ManualClock } from '../support/sim/sim-clock.ts'
import { jobId, lease, ownerId } from '../support/store/commands.ts'

describe('claiming', () => {
  test('it asks for as many jobs as there are idle threads, and starts them only once the claim is answered', async () => {
    const { pool, committer, dispatcher, claimed } = openDispatcher({ threads: 3 })
    dispatcher.start()
    expect(committer.of('claim')).toMatchObject([{ owner: 'ann', limit: 3, ahead: 0, claimNumber: 1 }])
    expect(pool.runs).toEqual([])
    await claimed(['a', 'b', 'c'])
    expect(pool.runs.map(({ assignment }) => assignment.jobId)).toEqual(['a', 'b', 'c'])
  })

  test('one claim at a time, each with a number of its own', async () => {
    const { committer, dispatcher, claimed } = openDispatcher()
    dispatcher.start()
    dispatcher.wake()
    dispatcher.wake()
    expect(committer.of('claim')).toHaveLength(1)
    await claimed([])
    expect(committer.of('claim').map(({ claimNumber }) => claimNumber)).toEqual([1, 2])
  })

  test('a claim that found nothing is not repeated before something may have become due', async () => {
    const { clock, committer, dispatcher, claimed } = openDispatcher()
    dispatcher.start()
    await claimed([], null)
    await clock.advance(60_000)
    dispatcher.fill()
    expect(committer.of('claim')).toHaveLength(1)
    dispatcher.wake()
    expect(committer.of('claim')).toHaveLength(2)
  })

  test('the end of a scheduled job may give the next tick its turn, so it claims again', async () => {
    const { pool, committer, dispatcher, settled } = openDispatcher()
    dispatcher.start()
    const tick = { schedule: 'nightly', scheduledAt: 1, nextAt: 2, isCatchUp: false }
    const jobs = [{ ...claimedJob('a'), tick }]
    committer.of('claim')[0]?.answer({ type: 'claimed', nextRunAt: null, suspectsDue: false, limited: false, jobs })
    await settled('')
    pool.returns('a')
    expect(committer.of('claim')).toHaveLength(1)
    await settled('a')
    expect(committer.of('claim')).toHaveLength(2)
  })

  test('it wakes when the next job is due', async () => {
    const { clock, committer, dispatcher, claimed } = openDispatcher()
    dispatcher.start()
    await claimed([], clock.wall() + 700)
    await clock.advance(699)
    expect(committer.of('claim')).toHaveLength(1)
    await clock.advance(1)
    expect(committer.of('claim')).toHaveLength(2)
  })

  test('with no idle thread it claims nothing', async () => {
    const { committer, pool, dispatcher, claimed } = openDispatcher()
    dispatcher.start()
    await claimed(['a', 'b'])
    dispatcher.wake()
    expect(committer.of('claim')).toHaveLength(1)
    pool.returns('a')
    pool.frees('a')
    expect(committer.of('claim')).toHaveLength(2)
    expect(committer.of('claim')[1]).toMatchObject({ limit: 1 })
  })

  test('a claim that the database refuses is tried again after a second', async () => {
    const { clock, committer, dispatcher, failures } = openDispatcher()
    dispatcher.start()
    committer.of('claim')[0]?.fail(new ReeveError('REEVE_DATABASE_FULL', 'full'))
    await clock.advance(999)
    expect(committer.of('claim')).toHaveLength(1)
    await clock.advance(1)
    expect(committer.of('claim')).toHaveLength(2)
    expect(failures).toEqual([])
  })

  test('a bug in a store is not tried again: it is reported', async () => {
    const { clock, committer, dispatcher, failures } = openDispatcher()
    dispatcher.start()
    committer.of('claim')[0]?.fail(new TypeError('bug'))
    await clock.advance(5_000)
    expect(failures).toHaveLength(1)
    expect(committer.of('claim')).toHaveLength(1)
  })
})

describe('cancel', () => {
  test('a running attempt is asked to stop, and its thread is ended after the grace', async () => {
    const { clock, pool, claimed, dispatcher } = openDispatcher()
    dispatcher.start()
    await claimed(['a'])
    dispatcher.cancel(lease('a', 1))
    expect(pool.run('a').stops).toEqual(['cancel'])
    await clock.advance(999)
    expect(pool.run('a').terminated).toBe(false)
    await clock.advance(1)
    expect(pool.run('a').terminated).toBe(true)
  })

  test('the cancel of an older attempt does not meet the present one', async () => {
    const { pool, claimed, dispatcher } = openDispatcher()
    dispatcher.start()
    await claimed(['a'])
    dispatcher.cancel(lease('a', 0))
    expect(pool.run('a').stops).toEqual([])
  })

  test('a cancel that was committed with the claim itself reaches the attempt', async () => {
    const { clock, pool, committer, dispatcher } = openDispatcher()
    dispatcher.start()
    const cancelled = committer.submit({ type: 'cancel', now: 0, jobId: jobId('a') }).then(() => dispatcher.cancel(lease('a', 1)))
    committer
      .of('claim')[0]
      ?.answer({ type: 'claimed', jobs: [claimedJob('a')], nextRunAt: null, suspectsDue: false, limited: false })
    committer.of('cancel')[0]?.answer({ type: 'cancel-requested', owner: ownerId('ann'), token: 1 as never })
    await cancelled
    await clock.turns()
    expect(pool.run('a').stops).toEqual(['cancel'])
  })
})

describe('drain', () => {
  /** Whether the promise has resolved by now. */
  async function resolved(clock: ManualClock, promise: Promise<void>) {
    let done = false
    void promise.then(() => (done = true))
    await clock.turns()
    return () => done
  }

  test('an idle dispatcher is drained at once', async () => {
    const { clock, dispatcher, claimed } = openDispatcher()
    dispatcher.start()
    await claimed([])
    expect((await resolved(clock, dispatcher.drain()))()).toBe(true)
  })

  test('a drain that meets a claim under way ends when that claim has found nothing', async () => {
    const { clock, dispatcher, claimed } = openDispatcher()
    dispatcher.start()
    const drained = await resolved(clock, dispatcher.drain())
    expect(drained()).toBe(false)
    await claimed([])
    expect(drained()).toBe(true)
  })

  test('what such a claim did find is handed back and never started', async () => {
    const { clock, pool, dispatcher, claimed, settled, settles } = openDispatcher()
    dispatcher.start()
    const drained = await resolved(clock, dispatcher.drain())
    await claimed(['a'])
    expect(settles()).toMatchObject([{ lease: lease('a', 1), settlement: { type: 'interrupted' } }])
    expect(drained()).toBe(false)
    await settled('a')
    expect(drained()).toBe(true)
    expect(pool.runs).toEqual([])
  })

  test('it waits for the settle and for the thread, whichever comes last', async () => {
    for (const order of ['settle first', 'thread first']) {
      const { clock, pool, dispatcher, claimed, settled } = openDispatcher()
      dispatcher.start()
      await claimed(['a'])
      const drained = await resolved(clock, dispatcher.drain())
      pool.returns('a')
      if (order === 'settle first') await settled('a')
      else pool.frees('a')
      await clock.turns()
      expect(drained()).toBe(false)
      if (order === 'settle first') pool.frees('a')
      else await settled('a')
      await clock.turns()
      expect(drained()).toBe(true)
    }
  })

  test('nothing is claimed after it, whatever becomes due or free', async () => {
    const { clock, pool, committer, dispatcher, claimed } = openDispatcher()
    dispatcher.start()
    await claimed(['a'], clock.wall() + 100)
    const claims = committer.of('claim').length
    void dispatcher.drain()
    pool.returns('a')
    pool.frees('a')
    dispatcher.wake()
    await clock.advance(5_000)
    expect(committer.of('claim')).toHaveLength(claims)
  })

  test('interrupted attempts are asked to stop, ended after their grace, and put back uncharged', async () => {
    const { clock, pool, dispatcher, claimed, settles } = openDispatcher()
    dispatcher.start()
    await claimed(['a', 'b'])
    void dispatcher.drain()
    dispatcher.interruptAll()
    expect(pool.runs.map(({ stops }) => stops)).toEqual([['drain'], ['drain']])
    await clock.advance(1_000)
    expect(pool.runs.map(({ terminated }) => terminated)).toEqual([true, true])
    expect(settles()).toEqual([])
    pool.exits('a')
    pool.exits('b')
    expect(settles().map(({ settlement }) => settlement.type)).toEqual(['interrupted', 'interrupted'])
  })
})

describe('suspects', () => {
  test('a claim may take one only while nothing runs and nothing is held', async () => {
    const { committer, dispatcher, claimed } = openDispatcher()
    dispatcher.start()
    expect(committer.of('claim')[0]).toMatchObject({ alone: true })
    await claimed(['a'])
    dispatcher.wake()
    expect(committer.of('claim')[1]).toMatchObject({ alone: false })
  })

  test('while one is due nothing is claimed until all that runs has settled; then one is claimed alone', async () => {
    const { pool, committer, dispatcher, claimed, settled } = openDispatcher()
    dispatcher.start()
    await claimed(['a'], null, { due: true })
    dispatcher.wake()
    pool.returns('a')
    pool.frees('a')
    expect(committer.of('claim')).toHaveLength(1)
    await settled('a')
    expect(committer.of('claim')).toHaveLength(2)
    expect(committer.of('claim')[1]).toMatchObject({ alone: true })
  })

  test('nothing is claimed beside one that runs; when it has settled, all goes on', async () => {
    const { pool, committer, dispatcher, claimed, settled } = openDispatcher({ threads: 3 })
    dispatcher.start()
    await claimed(['suspect'], 0, { claimed: true })
    dispatcher.wake()
    expect(pool.runs).toHaveLength(1)
    expect(committer.of('claim')).toHaveLength(1)
    pool.returns('suspect')
    await settled('suspect')
    expect(committer.of('claim')).toHaveLength(1)
    pool.frees('suspect')
    expect(committer.of('claim')[1]).toMatchObject({ limit: 3, alone: true })
  })

  test('a job that does not end keeps others waiting for a minute, then claims go on as usual for one', async () => {
    const { clock, pool, committer, dispatcher, claimed } = openDispatcher()
    dispatcher.start()
    await claimed(['endless'], null, { due: true })
    pool.run('endless').started = clock.mono()
    dispatcher.wake()
    await clock.advance(59_999)
    expect(committer.of('claim')).toHaveLength(1)
    await clock.advance(1)
    expect(committer.of('claim')[1]).toMatchObject({ alone: false })
    await claimed([], null, { due: true })
    await clock.advance(60_000)
    dispatcher.wake()
    const claims = committer.of('claim').length
    await clock.advance(119_999)
    expect(committer.of('claim')).toHaveLength(claims)
  })

  test('a suspect that runs on for a quarter of an hour blocks nobody any more', async () => {
    const { clock, pool, committer, dispatcher, claimed } = openDispatcher()
    dispatcher.start()
    await claimed(['endless'], 0, { claimed: true })
    pool.run('endless').started = clock.mono()
    await clock.advance(15 * 60_000 - 1)
    dispatcher.wake()
    expect(committer.of('claim')).toHaveLength(1)
    await clock.advance(1)
    expect(committer.of('claim')[1]).toMatchObject({ alone: false })
  })

  test('what runs on a thread that cannot be ended keeps no suspect waiting', async () => {
    const { clock, pool, committer, dispatcher, claimed } = openDispatcher()
    dispatcher.start()
    await claimed(['native'], null, { due: true })
    dispatcher.cancel(lease('native', 1))
    await clock.advance(1_000)
    expect(pool.run('native').terminated).toBe(true)
    expect(committer.of('claim')).toHaveLength(1)
    await clock.advance(5_000)
    expect(pool.run('native').condemned).toBe(true)
    expect(committer.of('claim')[1]).toMatchObject({ alone: true })
  })

  test('a claim that a drain did not wait for hands a suspect back', async () => {
    const { dispatcher, claimed, settles } = openDispatcher()
    dispatcher.start()
    void dispatcher.drain()
    await claimed(['suspect'], null, { claimed: true })
    expect(settles()).toMatchObject([{ settlement: { type: 'interrupted' } }])
  })
})
