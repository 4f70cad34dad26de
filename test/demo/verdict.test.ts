import { expect, test } from 'vitest'
import { type Evidence, judge } from '../../demo/verdict.ts'

/** Job a had settled at the kill, b was running, c was waiting; the second process ran b and c. */
const good: Evidence = {
  statesAtKill: new Map([
    ['a', 'completed'],
    ['b', 'ready'],
    ['c', 'ready'],
  ]),
  statesAtEnd: new Map([
    ['a', 'completed'],
    ['b', 'completed'],
    ['c', 'completed'],
  ]),
  startedBefore: ['a', 'b'],
  startedAfter: ['b', 'c'],
}

test('the verdict is good where every job completed and none that had settled ran again', () => {
  expect(judge(good).good).toBe(true)
  expect(judge(good).lines).toContain('1 had begun and not settled; they ran again from their beginning, as they must.')
})

test.each([
  ['a job is lost', { statesAtEnd: new Map([...good.statesAtEnd, ['c', 'lost']]) }, 'Not completed: c.'],
  ['a job is not over', { statesAtEnd: new Map([...good.statesAtEnd, ['b', 'running']]) }, 'Not completed: b.'],
  ['a settled job runs again', { startedAfter: ['b', 'c', 'a'] }, 'Ran again after they had settled: a.'],
  ['a job starts twice in one process', { startedAfter: ['b', 'c', 'c'] }, 'started 1 handlers more'],
  ['nothing had settled at the kill', { statesAtKill: new Map([['a', 'ready']]) }, 'nothing was shown'],
])('the verdict is bad where %s', (_, wrong, words) => {
  const { good: verdict, lines } = judge({ ...good, ...wrong })
  expect(verdict).toBe(false)
  expect(lines.at(-1)).toContain(words)
})
