/** Each check of a chaos run fails on what it is there for, and on nothing else. */
import { expect, test } from 'vitest'
import {
  bodyOverlaps,
  busySurfaced,
  endsAsTold,
  type FinalRow,
  leaseOverlaps,
  settleOnce,
  totalQueue,
} from '../support/chaos/checks.ts'
import type { BodyLine, HistoryLine } from '../support/chaos/history.ts'
import { blowNames, planOf } from '../support/chaos/plan.ts'
import { type Breach, wrongChanges } from '../support/crash/verdict.ts'
import type { Change } from '../support/runtime/audit.ts'

const promises = (breaches: readonly Breach[]) => breaches.map(({ promise }) => promise)

/** One line of a body of job `a`. */
const line = (what: BodyLine['what'], body: string, at: number): BodyLine => ({
  ...{ what, body, at },
  ...{ id: 'a', attempt: 1, pid: 1, threadId: 1 },
})

const history: readonly HistoryLine[] = [
  { what: 'offered', keys: ['k1', 'k2', 'k3', 'k4'] },
  { what: 'acknowledged', id: 'a', key: 'k1' },
  { what: 'refused', keys: ['k2'], cause: 'REEVE_DATABASE_FULL' },
  { what: 'unclear', keys: ['k3', 'k4'], code: 'REEVE_SUPERVISOR_DIED' },
  line('begin', '1.1.1', 10),
  line('end', '1.1.1', 20),
  { what: 'told', id: 'a', state: 'completed' },
]
const row: FinalRow = { id: 'a', key: 'k1', state: 'completed', result: '1.1.1' }

test('a run without fault is without a breach, one whose outcome was unclear and is stored included', () => {
  const rows: readonly FinalRow[] = [row, { id: 'c', key: 'k3', state: 'discarded', result: null }]
  expect([
    ...totalQueue(history, rows),
    ...endsAsTold(history, rows),
    ...busySurfaced(history),
    ...bodyOverlaps(history),
  ]).toEqual([])
  expect([...leaseOverlaps(life), ...settleOnce(life), ...wrongChanges(life)]).toEqual([])
})

test.each<[string, string, readonly FinalRow[]]>([
  ['an acknowledged job that is gone', 'acknowledged-is-kept', []],
  ['a refused job that is there', 'refused-is-not-stored', [row, { ...row, id: 'b', key: 'k2' }]],
  ['a job that nobody offered', 'no-row-from-nowhere', [row, { ...row, id: 'b', key: 'other' }]],
  ['a job that is there twice', 'stored-once', [row, { ...row, id: 'b' }]],
  ['a job that is not over', 'nothing-is-stuck', [{ ...row, state: 'running', result: null }]],
])('the queue as a whole is broken by %s', (_what, promise, rows) => {
  expect(promises(totalQueue(history, rows))).toEqual([promise])
})

test.each<[string, string, FinalRow]>([
  ['an end that is not the one that was told', 'told-is-final', { ...row, state: 'discarded', result: null }],
  ['a result that no body came to', 'result-of-its-body', { ...row, result: '9.9.9' }],
  ['a completed job without a result', 'result-of-its-body', { ...row, result: null }],
])('an end is broken by %s', (_what, promise, end) => {
  expect(promises(endsAsTold(history, [end]))).toEqual([promise])
})

test('an enqueue that was refused for a lock is seen', () => {
  expect(promises(busySurfaced([{ what: 'refused', keys: ['k1', 'k2'], cause: 'REEVE_DATABASE_BUSY' }]))).toEqual([
    'busy-never-surfaces',
  ])
})

test('two bodies overlap where one lives on after the other began, by whatever line that is seen', () => {
  const overlaps = (...lines: readonly HistoryLine[]) => promises(bodyOverlaps(lines))
  expect(overlaps(line('begin', 'x', 1), line('beat', 'x', 5), line('begin', 'y', 6), line('end', 'y', 7))).toEqual([])
  expect(overlaps(line('begin', 'x', 1), line('begin', 'y', 4), line('beat', 'x', 5))).toEqual(['one-live-attempt'])
  expect(overlaps(line('begin', 'x', 1), line('begin', 'y', 4), line('end', 'x', 5))).toEqual(['one-live-attempt'])
  // The first one outlives the second, and is still there when the third begins.
  const long = [line('begin', 'x', 1), line('begin', 'y', 4), line('end', 'y', 5), line('begin', 'z', 6), line('beat', 'x', 9)]
  expect(overlaps(...long)).toEqual(['one-live-attempt', 'one-live-attempt'])
  const other: BodyLine = { ...line('begin', 'y', 4), id: 'b' }
  expect(overlaps(line('begin', 'x', 1), other, line('beat', 'x', 5))).toEqual([])
})

const change = (given: Partial<Change>): Change => ({
  ...{ id: 'a', before: 'ready', after: 'running', token: 1, attempt: 1, crashes: 0, owner: 'ann', leaseExpiresAt: 1 },
  ...given,
})
const born = change({ before: '', after: 'ready', token: 0, attempt: 0, owner: null })
const claimed = change({})
const renewed = change({ before: 'running', leaseExpiresAt: 2 })
const completed = change({ before: 'running', after: 'completed', owner: null })
const reclaimed = change({ before: 'running', after: 'ready', owner: null, crashes: 1 })
const again = change({ token: 2, attempt: 2, crashes: 1, owner: 'bob' })
const over = { ...completed, token: 2, attempt: 2, crashes: 1 }
const life: readonly Change[] = [born, claimed, renewed, reclaimed, again, over]

test('a lease is broken by a second owner under one token, and by any word of an owner that was found dead', () => {
  expect(promises(leaseOverlaps([born, claimed, { ...renewed, owner: 'bob' }]))).toEqual(['one-live-lease'])
  expect(promises(leaseOverlaps([born, claimed, reclaimed, { ...again, owner: 'ann' }]))).toEqual(['no-word-from-the-dead'])
  const other = change({ id: 'b', before: 'running' })
  expect(promises(leaseOverlaps([born, claimed, reclaimed, other]))).toEqual(['no-word-from-the-dead'])
})

test('a second settle under one token is seen, also where the row says nothing of the first', () => {
  expect(promises(settleOnce([born, claimed, completed, completed]))).toEqual(['settle-once'])
  expect(promises(wrongChanges([born, claimed, completed, { ...completed, before: 'completed', after: 'discarded' }]))).toEqual([
    'settled-once',
  ])
})

test('the seed alone makes the plan, and every blow is in it', () => {
  const blows = (seed: number) => {
    const plan = planOf(seed)
    return Array.from({ length: 300 }, () => plan.next().value)
  }
  expect(blows(7)).toEqual(blows(7))
  expect(blows(7)).not.toEqual(blows(8))
  expect(new Set(blows(7).map(({ type }) => type))).toEqual(new Set(blowNames))
})
