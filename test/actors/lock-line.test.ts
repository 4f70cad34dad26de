import { expect, test } from 'vitest'
import { LockLine } from '../../src/actors/lock-line.ts'
import type { LockHolder } from '../../src/job/lock.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { StubCommitter } from '../support/sim/stub-store.ts'
import { ownerId } from '../support/store/commands.ts'

/** A line whose lock is held by another until the test frees it; takings are answered as the lock stands then. */
function open() {
  const clock = new ManualClock()
  const committer = new StubCommitter()
  const held: { by: LockHolder | null; looks: number } = { by: null, looks: 0 }
  const lockHolder = async () => {
    held.looks++
    return held.by
  }
  const failures: unknown[] = []
  const line = new LockLine({
    store: { lockHolder },
    committer,
    clock,
    owner: ownerId('ann'),
    released: () => undefined,
    failed: (error) => void failures.push(error),
  })
  const ends: string[] = []
  const take = (taking: string, waitMs = Number.POSITIVE_INFINITY, over: Promise<void> | null = null) =>
    void line.take({ name: 'l', ttlMs: null, waitMs, taking, lease: null }, over).then(
      ({ type }) => void ends.push(`${taking} ${type}`),
      (error: unknown) => void ends.push(`${taking} ${error}`),
    )
  /** Answers the last taking that was submitted. */
  const answers = async (type: 'taken' | 'busy') => {
    const outcome = type === 'taken' ? ({ type, token: 1, expiresAt: null } as const) : ({ type, holder: held.by } as const)
    committer.of('lock').at(-1)?.answer({ type: 'lock', outcome })
    await clock.turns()
  }
  const frees = async () => {
    held.by = null
    line.look()
    await clock.turns()
  }
  const asked = () => committer.of('lock').map(({ taking }) => taking)
  return { clock, committer, line, held, ends, failures, take, answers, frees, asked }
}

const bob: LockHolder = { token: 7, owner: ownerId('bob'), jobId: null, takenAt: 0, expiresAt: null }

/** A line in which these wait, in this order, for a lock that bob holds. */
async function waiting(...takings: readonly string[]) {
  const rig = open()
  rig.held.by = bob
  const [first, ...others] = takings
  rig.take(first as string)
  await rig.answers('busy')
  for (const taking of others) rig.take(taking)
  await rig.clock.turns()
  return rig
}

test('a free lock is taken at once, and a commit that follows looks at nothing', async () => {
  const { take, answers, ends, line, held } = open()
  take('a')
  await answers('taken')
  line.look()
  expect(ends).toEqual(['a taken'])
  expect(held.looks).toBe(0)
})

test('who will not wait is told at once', async () => {
  const { take, answers, ends, held } = open()
  held.by = bob
  take('a', 0)
  await answers('busy')
  expect(ends).toEqual(['a busy'])
})

test('those who wait take in the order of their asking, one after another', async () => {
  const { frees, answers, asked, ends, held } = await waiting('a', 'b', 'c')
  await frees()
  await answers('taken')
  held.by = bob
  expect(ends).toEqual(['a taken'])
  await frees()
  await answers('taken')
  await frees()
  await answers('taken')
  expect(asked()).toEqual(['a', 'a', 'b', 'c'])
  expect(ends).toEqual(['a taken', 'b taken', 'c taken'])
})

test('while the lock is held a commit costs a look and no taking', async () => {
  const { line, clock, asked, held } = await waiting('a')
  const { looks } = held
  line.look()
  await clock.turns()
  expect(held.looks).toBe(looks + 1)
  expect(asked()).toEqual(['a'])
})

test('a commit that comes while a look is under way is looked at as well', async () => {
  const { line, clock, held, asked } = await waiting('a')
  line.look()
  held.by = null
  line.look()
  await clock.turns()
  expect(asked()).toEqual(['a', 'a'])
})

test('who comes while others wait does not pass them by', async () => {
  const { held, take, clock, asked, ends } = await waiting('a')
  held.by = null
  take('b', 0)
  await clock.turns()
  expect(asked()).not.toContain('b')
  expect(ends).toEqual(['b busy'])
})

test('a wait that has a bound ends there, and the next one is not held up', async () => {
  const { take, clock, frees, answers, ends } = await waiting('a')
  take('b', 500)
  take('c')
  await clock.advance(500)
  expect(ends).toEqual(['b busy'])
  await frees()
  await answers('taken')
  await frees()
  await answers('taken')
  expect(ends).toEqual(['b busy', 'a taken', 'c taken'])
})

test('a taking that comes true after its wait has ended is freed again', async () => {
  const { committer, clock, frees, answers, ends, take, held } = open()
  held.by = bob
  take('a', 500)
  await answers('busy')
  await frees()
  await clock.advance(500)
  expect(ends).toEqual(['a busy'])
  await answers('taken')
  expect(committer.of('unlock').map(({ taking }) => taking)).toEqual(['a'])
})

test('an attempt that is decided on waits no longer', async () => {
  const { take, clock, answers, ends, held } = open()
  const { promise, resolve } = Promise.withResolvers<void>()
  held.by = bob
  take('a', Number.POSITIVE_INFINITY, promise)
  await answers('busy')
  resolve()
  await clock.turns()
  expect(ends).toEqual(['a stale'])
})

test('when the time of the holder is up there is a look, without any commit', async () => {
  const { take, clock, answers, asked, held } = open()
  held.by = { ...bob, expiresAt: clock.wall() + 800 }
  take('a')
  await answers('busy')
  held.by = null
  await clock.advance(800)
  expect(asked()).toEqual(['a', 'a'])
})

test('where the database refuses, the first in line is told and the others go on waiting', async () => {
  const { committer, frees, answers, ends, clock, failures } = await waiting('a', 'b')
  await frees()
  committer.of('lock').at(-1)?.fail(new Error('full'))
  await clock.turns()
  expect(ends).toEqual(['a Error: full'])
  await frees()
  await answers('taken')
  expect(ends).toEqual(['a Error: full', 'b taken'])
  expect(failures).toEqual([])
})
