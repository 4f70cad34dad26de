/** Attempt machines with one mistake each, and the promise that must give each of them away. */
import { type AttemptEffect, type AttemptStep, nextAttempt } from '../../../src/actors/attempt-state.ts'
import type { Machine } from './checks.ts'

/** A mistake, and the promises of which any one may be the first to say so. */
export interface WrongMachine {
  readonly mistake: string
  readonly breaks: readonly string[]
  readonly machine: Machine
}

/** Changes what the real machine does at a step. */
function but(change: (step: AttemptStep, ...given: Parameters<Machine>) => AttemptStep): Machine {
  return (state, event, graces) => change(nextAttempt(state, event, graces), state, event, graces)
}

const settled = { type: 'settle', verdict: { type: 'timed-out', cause: null } } as const

function without(type: AttemptEffect['type'], step: AttemptStep): AttemptStep {
  return { ...step, effects: step.effects.filter((effect) => effect.type !== type) }
}

function has(type: AttemptEffect['type'], { effects }: AttemptStep): boolean {
  return effects.some((effect) => effect.type === type)
}

/** All mistakes. */
export const wrongMachines: readonly WrongMachine[] = [
  {
    mistake: 'takes a snooze before a drain for the doing of the drain',
    breaks: ['what the handler asked for is kept, but for a cancel'],
    machine: but((step, before) =>
      before.stop === 'drain' && step.effects.some((effect) => effect.type === 'settle' && effect.verdict.type === 'snoozed')
        ? { ...step, effects: [{ type: 'settle', verdict: { type: 'interrupted' } }, ...without('settle', step).effects] }
        : step,
    ),
  },
  {
    mistake: 'settles when it tells the thread to die',
    breaks: ['nothing is settled before the handler ended or its thread exited'],
    machine: but((step) =>
      has('terminate', step) && !step.state.decided
        ? { state: { ...step.state, decided: true }, effects: [...step.effects, settled] }
        : step,
    ),
  },
  {
    mistake: 'settles twice',
    breaks: ['it is settled at most once'],
    machine: but((step) => (has('settle', step) ? { ...step, state: { ...step.state, decided: false } } : step)),
  },
  {
    mistake: 'settles what a thread said while it was being killed before it has exited',
    breaks: ['once its thread was told to die, all is decided when it is over'],
    machine: but((step, before, event) =>
      event.type === 'outcome' &&
      before.phase === 'killing' &&
      before.outcome === null &&
      !before.decided &&
      event.outcome.type === 'returned'
        ? {
            state: { ...step.state, decided: true },
            effects: [{ type: 'settle', verdict: { type: 'complete', outcome: event.outcome } }],
          }
        : step,
    ),
  },
  {
    mistake: 'forgets a result that comes after the timeout',
    breaks: ['a result that came before over wins'],
    machine: but((step, before, event) =>
      event.type === 'outcome' && event.outcome.type === 'returned' && before.phase === 'killing'
        ? { state: before, effects: [] }
        : step,
    ),
  },
  {
    mistake: 'records a drain as a cancel',
    breaks: ['a stop ends as what it was for', 'only a cancel cancels'],
    machine: but((step) => ({
      ...step,
      effects: step.effects.map((effect) =>
        effect.type === 'settle' && effect.verdict.type === 'interrupted'
          ? { type: 'settle', verdict: { type: 'cancelled' } }
          : effect,
      ),
    })),
  },
  {
    mistake: 'records a timeout as a drain',
    breaks: ['a stop ends as what it was for'],
    machine: but((step) => ({
      ...step,
      effects: step.effects.map((effect) =>
        effect.type === 'settle' && effect.verdict.type === 'timed-out'
          ? { type: 'settle', verdict: { type: 'interrupted' } }
          : effect,
      ),
    })),
  },
  {
    mistake: 'settles a lease that was lost',
    breaks: ['a lost lease is never settled', 'it is settled at most once'],
    machine: but((step, _before, event) =>
      event.type === 'lease-lost' ? { ...step, state: { ...step.state, decided: false } } : step,
    ),
  },
  {
    mistake: 'finishes with the outcome',
    breaks: ['it finishes exactly once, when its thread is free or gone'],
    machine: but((step, before, event) =>
      event.type === 'outcome' && before.phase === 'running' ? { ...step, effects: [...step.effects, { type: 'finish' }] } : step,
    ),
  },
  {
    mistake: 'never finishes after a kill',
    breaks: ['it finishes exactly once, when its thread is free or gone'],
    machine: but((step, before) => (before.phase === 'killing' ? without('finish', step) : step)),
  },
  {
    mistake: 'is over when its thread was told to die',
    breaks: ['an attempt is over only when its thread is'],
    machine: but((step) => (has('terminate', step) ? { ...step, state: { ...step.state, phase: 'over' } } : step)),
  },
  {
    mistake: 'tells the thread to die again and again',
    breaks: ['a thread is told to die at most once'],
    machine: but((step, before, event) =>
      event.type === 'deadline' && before.phase === 'killing' ? { ...step, effects: [{ type: 'terminate' }] } : step,
    ),
  },
  {
    mistake: 'lets a later reason to stop replace the first',
    breaks: ['a handler is asked to stop at most once, and once more for a lost lease', 'a stop ends as what it was for'],
    machine: but((step, before, event) =>
      event.type === 'stop' && before.phase === 'stopping'
        ? { state: { ...before, stop: event.reason }, effects: [{ type: 'request-stop', reason: event.reason }] }
        : step,
    ),
  },
  {
    mistake: 'leaves the thread alone when the time is up',
    breaks: ['a thread is told to die by the deadline and its grace'],
    machine: but((step, _before, event) =>
      event.type === 'deadline' || event.type === 'grace-over' ? without('terminate', step) : step,
    ),
  },
  {
    mistake: 'leaves a thread alone that never comes back',
    breaks: ['a thread is told to die by the deadline and its grace'],
    machine: but((step, before, event) => (event.type === 'stuck' ? { state: before, effects: [] } : step)),
  },
]
