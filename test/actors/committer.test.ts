import { describe, expect, test } from 'vitest'
import { Committer } from '../../src/actors/committer.ts'
import type { Command } from '../../src/persistence/commands/command.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { silentLogger } from '../support/sim/sim-owner.ts'
import { StubStore } from '../support/sim/stub-store.ts'
import { cancel, claim, complete, enqueue, lease, newJob, settle } from '../support/store/commands.ts'

function open() {
  const clock = new ManualClock()
  const store = new StubStore()
  const reports: string[] = []
  const logger = { ...silentLogger, error: (_fields: object, message: string) => void reports.push(message) }
  const committer = new Committer({ store, clock, logger })
  const told: string[] = []
  /** Submits, and notes what becomes of it. */
  const submit = (name: string, command: Command = cancel(name)) =>
    void committer.submit(command).then(
      ({ type }) => told.push(`${name} ${type}`),
      ({ code }) => told.push(`${name} ${code}`),
    )
  return { clock, store, committer, told, submit, reports }
}

describe('group commit', () => {
  test('all commands of one turn go in one commit, in the order in which they came', async () => {
    const { clock, store, submit } = open()
    for (const name of ['a', 'b', 'c']) submit(name)
    expect(store.commits).toEqual([])
    await clock.turns()
    expect(store.commits).toHaveLength(1)
    expect(store.last.commands).toEqual([cancel('a'), cancel('b'), cancel('c')])
  })

  test('within a commit enqueues come first and claims last, so that a claim sees all that came in with it', async () => {
    const { clock, store, submit } = open()
    submit('claim', claim())
    submit('a')
    submit('job', enqueue(newJob('job')))
    await clock.turns()
    expect(store.last.commands.map(({ type }) => type)).toEqual(['enqueue', 'cancel', 'claim'])
  })

  test('nothing is answered before the commit, and then everything in order', async () => {
    const { clock, store, told, submit } = open()
    submit('a')
    submit('b')
    await clock.turns()
    expect(told).toEqual([])
    store.last.answer([{ type: 'not-found' }, { type: 'cancelled' }])
    await clock.turns()
    expect(told).toEqual(['a not-found', 'b cancelled'])
  })

  test('what comes while a commit is under way goes into the next one', async () => {
    const { clock, store, submit } = open()
    submit('a')
    await clock.turns()
    submit('b')
    submit('c')
    await clock.turns()
    expect(store.commits).toHaveLength(1)
    store.last.answer()
    await clock.turns()
    expect(store.commits).toHaveLength(2)
    expect(store.last.commands).toEqual([cancel('b'), cancel('c')])
  })

  test('a batch stops growing at a thousand commands; the rest comes in the next', async () => {
    const { clock, store, submit } = open()
    for (let index = 0; index < 1_001; index++) submit(`${index}`)
    await clock.turns()
    expect(store.last.commands).toHaveLength(1_000)
    store.last.answer()
    await clock.turns()
    expect(store.last.commands).toHaveLength(1)
  })

  test('after a commit the next one waits as long as that one took, and never more than 2 ms', async () => {
    const { clock, store, submit } = open()
    submit('a')
    await clock.turns()
    await clock.advance(1.5)
    store.last.answer()
    await clock.turns()
    submit('b')
    await clock.advance(1.4)
    expect(store.commits).toHaveLength(1)
    await clock.advance(0.1)
    expect(store.commits).toHaveLength(2)
    await clock.advance(100)
    store.last.answer()
    await clock.turns()
    submit('c')
    await clock.advance(1.9)
    expect(store.commits).toHaveLength(2)
    await clock.advance(0.1)
    expect(store.commits).toHaveLength(3)
  })

  test('a queue that rested commits with the next turn', async () => {
    const { clock, store, submit } = open()
    submit('a')
    await clock.turns()
    await clock.advance(10)
    store.last.answer()
    await clock.advance(2)
    submit('b')
    await clock.turns()
    expect(store.commits).toHaveLength(2)
  })
})

describe('a commit that fails', () => {
  test('is repeated as it was while the database is busy', async () => {
    const { clock, store, told, submit } = open()
    submit('a')
    submit('b')
    await clock.turns()
    store.last.fail('REEVE_DATABASE_BUSY')
    await clock.advance(4)
    expect(store.commits).toHaveLength(1)
    await clock.advance(1)
    expect(store.last).toMatchObject({ commands: [cancel('a'), cancel('b')], repeated: false })
    store.last.answer()
    await clock.turns()
    expect(told).toEqual(['a enqueued', 'b enqueued'])
  })

  test('waits longer with each failure, up to a second, and reports it after about one', async () => {
    const { clock, store, submit, reports } = open()
    submit('a')
    await clock.turns()
    for (const waitMs of [5, 10, 20, 40, 80, 160, 320, 640, 1_000, 1_000]) {
      const commits = store.commits.length
      store.last.fail('REEVE_DATABASE_BUSY')
      await clock.advance(waitMs - 1)
      expect(store.commits).toHaveLength(commits)
      await clock.advance(1)
      expect(store.commits).toHaveLength(commits + 1)
    }
    expect(reports).toEqual(['the database cannot be written to; trying again'])
  })

  test('is repeated as a repetition when nobody knows whether it took effect, and stays one', async () => {
    const { clock, store, submit } = open()
    submit('a')
    await clock.turns()
    store.last.fail('REEVE_COMMIT_UNKNOWN')
    await clock.advance(5)
    expect(store.last.repeated).toBe(true)
    store.last.fail('REEVE_DATABASE_BUSY')
    await clock.advance(10)
    expect(store.last.repeated).toBe(true)
  })

  test('on a full disk refuses the one command that does not fit, and writes its neighbours', async () => {
    const { clock, store, told, submit } = open()
    submit('a')
    submit('large', enqueue(newJob('large')))
    submit('c')
    await clock.turns()
    store.last.fail('REEVE_DATABASE_FULL')
    await clock.turns()
    expect(store.last.commands).toMatchObject([{ type: 'enqueue' }])
    store.last.fail('REEVE_DATABASE_FULL')
    await clock.turns()
    for (const name of ['a', 'c']) {
      expect(store.last.commands).toEqual([cancel(name)])
      store.last.answer()
      await clock.turns()
    }
    expect(told).toEqual(['large REEVE_DATABASE_FULL', 'a enqueued', 'c enqueued'])
  })

  test('a settle that cannot be written holds nobody else up, and comes again alone, later each time', async () => {
    const { clock, store, told, submit } = open()
    submit('done', settle(lease('done', 1), complete))
    await clock.turns()
    store.last.fail('REEVE_DATABASE_FULL')
    await clock.turns()
    submit('new', enqueue(newJob('new')))
    await clock.turns()
    store.last.answer()
    await clock.turns()
    expect(told).toEqual(['new enqueued'])
    await clock.advance(5)
    expect(store.last.commands.map(({ type }) => type)).toEqual(['settle'])
    store.last.fail('REEVE_DATABASE_FULL')
    const commits = store.commits.length
    await clock.advance(9)
    expect(store.commits).toHaveLength(commits)
    await clock.advance(1)
    store.last.answer([{ type: 'settled', state: 'completed', runAt: 0 }])
    await clock.turns()
    expect(told).toContain('done settled')
  })

  test('repeats a settle for as long as it takes: what has happened cannot be refused', async () => {
    const { clock, store, told, submit } = open()
    submit('done', settle(lease('done', 1), complete))
    await clock.turns()
    for (const waitMs of [5, 10, 20]) {
      store.last.fail('REEVE_DATABASE_FULL')
      await clock.advance(waitMs)
    }
    expect(told).toEqual([])
    store.last.answer([{ type: 'settled', state: 'completed', runAt: 0 }])
    await clock.turns()
    expect(told).toEqual(['done settled'])
  })
})

describe('the end', () => {
  test('idle resolves when everything is answered, also what followed from it', async () => {
    const { clock, store, committer, submit } = open()
    submit('a')
    let isIdle = false
    void committer.idle().then(() => (isIdle = true))
    await clock.turns()
    submit('b')
    store.last.answer()
    await clock.turns()
    expect(isIdle).toBe(false)
    store.last.answer()
    await clock.turns()
    expect(isIdle).toBe(true)
  })

  test('finish writes what was submitted, and then refuses', async () => {
    const { clock, store, committer, told, submit } = open()
    submit('a')
    const finished = committer.finish()
    await clock.turns()
    store.last.answer()
    await finished
    submit('b')
    await clock.turns()
    expect(told).toEqual(['a enqueued', 'b REEVE_RUNTIME_CLOSED'])
  })

  test('stop rejects what waits, at once, also what waits for the database', async () => {
    const { clock, store, committer, told, submit } = open()
    submit('a')
    await clock.turns()
    store.last.fail('REEVE_DATABASE_BUSY')
    await clock.turns()
    submit('b')
    committer.stop()
    await clock.turns()
    expect(told.sort()).toEqual(['a REEVE_RUNTIME_CLOSED', 'b REEVE_RUNTIME_CLOSED'])
    await clock.advance(10_000)
    expect(store.commits).toHaveLength(1)
  })
})
