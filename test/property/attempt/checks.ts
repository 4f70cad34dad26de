/** What must hold of one attempt, whatever happens to it in whatever order. A machine is judged by what it does only. */
import {
  type AttemptEffect,
  type AttemptEvent,
  type AttemptState,
  type AttemptStep,
  attemptAtStart,
  type Graces,
} from '../../../src/actors/attempt-state.ts'
import type { StopReason } from '../../../src/job/kind.ts'

/** A transition function of attempts: the real one, or one with a mistake. */
export type Machine = (state: AttemptState, event: AttemptEvent, graces: Graces) => AttemptStep

/** A promise about attempts that was broken. */
export class BrokenAttempt extends Error {
  readonly promise: string

  constructor(promise: string, events: readonly AttemptEvent[], effects: readonly (readonly AttemptEffect[])[]) {
    super(`${promise}: ${JSON.stringify(events.map((event, index) => [event, effects[index] ?? []]))}`)
    this.promise = promise
  }
}

/** What is known from the events alone, before the present one is dealt with. */
interface Seen {
  outcome: Extract<AttemptEvent, { type: 'outcome' }>['outcome'] | null
  over: boolean
  leaseLost: boolean
  settles: number
  finishes: number
  terminates: number
  condemns: number
  inspects: number
  asked: StopReason[]
}

/** Feeds events to a machine and judges each step; returns the promises whose guard was reached. */
export function judge(
  machine: Machine,
  events: readonly AttemptEvent[],
  graces: Graces,
  reached: Set<string> = new Set(),
): AttemptState {
  const seen: Seen = {
    outcome: null,
    over: false,
    leaseLost: false,
    settles: 0,
    finishes: 0,
    terminates: 0,
    condemns: 0,
    inspects: 0,
    asked: [],
  }
  const effects: (readonly AttemptEffect[])[] = []
  let state = attemptAtStart
  for (const [index, event] of events.entries()) {
    const step = machine(state, event, graces)
    effects.push(step.effects)
    const promise = judgeStep(seen, state, event, step, reached)
    if (promise !== null) throw new BrokenAttempt(promise, events.slice(0, index + 1), effects)
    state = step.state
  }
  return state
}

function judgeStep(
  seen: Seen,
  before: AttemptState,
  event: AttemptEvent,
  { state, effects }: AttemptStep,
  reached: Set<string>,
): string | null {
  const broken = (promise: string, holds: boolean): string | null => {
    reached.add(promise)
    return holds ? null : promise
  }
  if (event.type === 'outcome' && !seen.over) seen.outcome ??= event.outcome
  if (event.type === 'lease-lost' && seen.settles === 0 && !seen.over) seen.leaseLost = true
  const wasOver = seen.over
  if (event.type === 'over') seen.over = true
  if (wasOver) {
    const quiet = broken('nothing happens after over', effects.length === 0 && state.phase === 'over')
    if (quiet !== null) return quiet
  }
  for (const effect of effects) {
    const promise = judgeEffect(seen, before, event, effect, broken)
    if (promise !== null) return promise
  }
  if (!seen.over) return broken('an attempt is over only when its thread is', state.phase !== 'over')
  return (
    broken('an attempt is over when its thread is', state.phase === 'over') ??
    broken('it finishes exactly once, when its thread is free or gone', seen.finishes === 1) ??
    (seen.leaseLost
      ? broken('a lost lease is never settled', seen.settles === 0)
      : broken('what was not settled before is settled when it is over', seen.settles === 1))
  )
}

type Broken = (promise: string, holds: boolean) => string | null

function judgeEffect(
  seen: Seen,
  before: AttemptState,
  event: AttemptEvent,
  effect: AttemptEffect,
  broken: Broken,
): string | null {
  switch (effect.type) {
    case 'settle':
      seen.settles++
      return judgeSettle(seen, before, event, effect, broken)
    case 'finish':
      seen.finishes++
      return broken('it finishes exactly once, when its thread is free or gone', seen.over && seen.finishes === 1)
    case 'terminate':
      seen.terminates++
      return broken('a thread is told to die at most once', seen.terminates === 1 && !seen.over)
    case 'condemn':
      seen.condemns++
      return broken(
        'a thread is written off once, and only after it was told to die',
        seen.condemns === 1 && seen.terminates === 1,
      )
    case 'inspect':
      seen.inspects++
      return broken(
        'a stack is read once, and only before its thread is told to die',
        seen.inspects === 1 && seen.terminates === 0,
      )
    case 'request-stop':
      seen.asked.push(effect.reason)
      return broken('a handler is asked to stop at most once, and once more for a lost lease', askedRightly(seen.asked))
    default:
      return null
  }
}

function askedRightly(asked: readonly StopReason[]): boolean {
  return asked.length === 1 || (asked.length === 2 && asked[0] !== 'lease-lost' && asked[1] === 'lease-lost')
}

function judgeSettle(
  seen: Seen,
  before: AttemptState,
  event: AttemptEvent,
  { verdict }: Extract<AttemptEffect, { type: 'settle' }>,
  broken: Broken,
): string | null {
  const { outcome } = seen
  return (
    broken('it is settled at most once', seen.settles === 1) ??
    broken('a lost lease is never settled', !seen.leaseLost) ??
    broken('nothing is settled before the handler ended or its thread exited', outcome !== null || seen.over) ??
    (before.phase === 'killing' || before.phase === 'condemned'
      ? broken('once its thread was told to die, all is decided when it is over', event.type === 'over')
      : null) ??
    (outcome?.type === 'returned' ? broken('a result that came before over wins', verdict.type === 'complete') : null) ??
    (outcome?.type !== 'returned'
      ? broken('there is no result without a handler that returned', verdict.type !== 'complete')
      : null) ??
    (outcome?.type === 'rejected' ? broken('a rejected input is final', verdict.type === 'rejected') : null) ??
    (outcome?.type === 'snoozed' || outcome?.type === 'suspended'
      ? broken(`what the handler asked for is kept, but for a cancel`, verdict.type === asAsked(seen, outcome.type))
      : null) ??
    judgeStopVerdict(seen, verdict.type, broken)
  )
}

function asAsked({ asked }: Seen, outcome: 'snoozed' | 'suspended'): string {
  return asked[0] === 'cancel' ? 'cancelled' : outcome
}

/** A handler that said nothing, or threw, after it was asked to stop ends as that stop says: the first reason stands. */
function judgeStopVerdict({ outcome, asked }: Seen, verdict: string, broken: Broken): string | null {
  const [reason] = asked
  if (reason === undefined || (outcome !== null && outcome.type !== 'threw')) {
    return verdict === 'cancelled' && reason !== 'cancel' ? broken('only a cancel cancels', false) : null
  }
  const expected = { timeout: 'timed-out', cancel: 'cancelled', drain: 'interrupted', 'lease-lost': 'nothing' }[reason]
  return broken('a stop ends as what it was for', verdict === expected)
}
