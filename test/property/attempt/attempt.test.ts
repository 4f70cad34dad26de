/**
 * The state machine of attempts alone: every order of events up to a length, and random longer ones. The seed is taken from
 * REEVE_SEED and printed on failure, the number of runs from REEVE_RUNS.
 */
import { env } from 'node:process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AttemptEvent, type Graces, nextAttempt } from '../../../src/actors/attempt-state.ts'
import { quickSeed } from '../../support/seed.ts'
import { BrokenAttempt, judge, type Machine } from './checks.ts'
import { playFaithfully } from './faithful.ts'
import { wrongMachines } from './wrong-machines.ts'

const seed = quickSeed
const numRuns = Number(env['REEVE_RUNS'] ?? 5_000)

const error = { name: 'Error', message: 'no' }

/** One event of each kind that the machine tells apart. */
const alphabet: readonly AttemptEvent[] = [
  { type: 'started' },
  { type: 'outcome', outcome: { type: 'returned', result: '1' } },
  { type: 'outcome', outcome: { type: 'threw', error } },
  { type: 'outcome', outcome: { type: 'rejected', error } },
  { type: 'outcome', outcome: { type: 'snoozed', delayMs: 5 } },
  { type: 'outcome', outcome: { type: 'skipped' } },
  { type: 'outcome', outcome: { type: 'suspended', waits: [] } },
  { type: 'outcome', outcome: { type: 'unknown-kind', error } },
  { type: 'outcome', outcome: { type: 'setup-failed', error } },
  { type: 'outcome', outcome: { type: 'bystander', error } },
  { type: 'deadline' },
  { type: 'stop', reason: 'cancel' },
  { type: 'stop', reason: 'drain' },
  { type: 'lease-lost' },
  { type: 'grace-over' },
  { type: 'inspected', frames: [{ functionName: 'loop', url: 'file:///jobs.ts', line: 1, column: 1 }] },
  { type: 'inspected', frames: null },
  { type: 'kill-wait-over' },
  { type: 'stuck' },
  { type: 'over', end: { type: 'done' } },
  { type: 'over', end: { type: 'exited', exitCode: 1, error: null, terminated: true } },
  { type: 'over', end: { type: 'exited', exitCode: 7, error: null, terminated: false } },
]

const allGraces: readonly Graces[] = [
  { timeoutGraceMs: 0, stopGraceMs: 5_000, inspects: false },
  { timeoutGraceMs: 100, stopGraceMs: 0, inspects: false },
  { timeoutGraceMs: 100, stopGraceMs: 5_000, inspects: true },
  { timeoutGraceMs: 0, stopGraceMs: 5_000, inspects: true },
]

/** Every order of `length` events. Each is judged as it grows, so shorter ones are judged with it. */
function everyOrder(machine: Machine, length: number, reached: Set<string>): void {
  const events: AttemptEvent[] = []
  const grow = (graces: Graces): void => {
    if (events.length === length) return void judge(machine, events, graces, reached)
    for (const event of alphabet) {
      events.push(event)
      grow(graces)
      events.pop()
    }
  }
  for (const graces of allGraces) grow(graces)
}

const orders = fc.array(fc.constantFrom(...alphabet), { maxLength: 25, size: 'max' })
const graces = fc.constantFrom(...allGraces)
const behaviour = fc.record({
  starts: fc.boolean(),
  outcome: fc.constantFrom(null, ...alphabet.flatMap((event) => (event.type === 'outcome' ? [event.outcome] : []))),
  comesBack: fc.boolean(),
  diesAlone: fc.boolean(),
  stop: fc.constantFrom(null, 'cancel' as const, 'drain' as const),
  leaseLost: fc.boolean(),
})

async function anyOrder(machine: Machine, runs: number) {
  const details = await fc.check(
    fc.asyncProperty(orders, graces, behaviour, fc.scheduler(), async (events, given, plays, scheduler) => {
      judge(machine, events, given)
      await playFaithfully(machine, given, plays, scheduler)
    }),
    { seed, numRuns: runs, endOnFailure: true },
  )
  return details.failed ? details.errorInstance : null
}

test('every order of four events keeps what is promised of an attempt', () => {
  const reached = new Set<string>()
  everyOrder(nextAttempt, 4, reached)
  expect([...reached].sort()).toMatchInlineSnapshot(`
    [
      "a handler is asked to stop at most once, and once more for a lost lease",
      "a lost lease is never settled",
      "a rejected input is final",
      "a result that came before over wins",
      "a stack is read once, and only before its thread is told to die",
      "a stop ends as what it was for",
      "a thread is told to die at most once",
      "a thread is written off once, and only after it was told to die",
      "an attempt is over only when its thread is",
      "an attempt is over when its thread is",
      "it finishes exactly once, when its thread is free or gone",
      "it is settled at most once",
      "nothing happens after over",
      "nothing is settled before the handler ended or its thread exited",
      "once its thread was told to die, all is decided when it is over",
      "there is no result without a handler that returned",
      "what the handler asked for is kept, but for a cancel",
      "what was not settled before is settled when it is over",
    ]
  `)
})

test(`longer orders of events keep it too, and a faithful pool brings every attempt to its end (REEVE_SEED=${seed})`, async () => {
  expect(await anyOrder(nextAttempt, numRuns)).toBeNull()
})

test.each(wrongMachines)(`a machine that $mistake is found out (REEVE_SEED=${seed})`, async ({ machine, breaks }) => {
  const found = await anyOrder(machine, 5_000)
  if (!(found instanceof BrokenAttempt)) throw found ?? new Error('it was not found out')
  expect(breaks).toContain(found.promise)
})
