/** What one commit may do to steps, events and waiting jobs. It knows nothing of the model, so that a wrong store is named by the promise that it breaks. */
import { isDeepStrictEqual } from 'node:util'
import type { Command } from '../../../src/persistence/commands/command.ts'
import type { EventView, JobView, StepView } from './model-steps.ts'

/** Everything that is stored about steps. */
export interface Sight {
  readonly jobs: readonly JobView[]
  readonly steps: readonly StepView[]
  readonly events: readonly EventView[]
  /** By the id of an event: the jobs that were there. */
  readonly there: ReadonlyMap<string, ReadonlySet<string>>
}

/** A command with what was stored before and after it. */
export interface Commit {
  readonly command: Command
  readonly before: Sight
  readonly after: Sight
}

type Check = (commit: Commit) => boolean

const keyOf = ({ job, name }: StepView): string => `${job} ${name}`

/** Each step that there is now, with what it was. */
function changes({ before, after }: Commit): { readonly was: StepView | undefined; readonly is: StepView }[] {
  const known = new Map(before.steps.map((step) => [keyOf(step), step]))
  return after.steps.map((is) => ({ was: known.get(keyOf(is)), is })).filter(({ was, is }) => !isDeepStrictEqual(was, is))
}

/** The job that runs under the lease of a command. */
function holder({ command, before }: Commit): string | null {
  if (command.type !== 'step' && command.type !== 'settle') return null
  const { jobId, token } = command.lease
  return before.jobs.find(({ id, token: current, state }) => id === jobId && current === token && state === 'running')?.id ?? null
}

const checks: Readonly<Record<string, Check>> = {
  /** By a lease that is current, or by what ends a wait; and no step is ever gone. */
  'step-write-fenced'(commit) {
    const { command, before, after } = commit
    const left = new Set(after.steps.map(keyOf))
    if (!before.steps.every((step) => left.has(keyOf(step)))) return false
    if (command.type === 'emit' || command.type === 'wake')
      return changes(commit).every(({ was, is }) => was?.state === 'waiting' && is.state === 'ended')
    const mayWrite = command.type === 'step' || (command.type === 'settle' && command.settlement.type === 'suspend')
    return changes(commit).every(({ is }) => mayWrite && is.job === holder(commit))
  },

  'step-replay-stable': (commit) => changes(commit).every(({ was }) => was?.state !== 'ended'),

  /** A wait takes one event that is its own, a job sees an event once, and what ends without one has a timer that is due. */
  'wake-consumes-once'({ command, before, after }) {
    const events = new Map([...before.events, ...after.events].map((event) => [event.seq, event]))
    const known = new Map(before.steps.map((step) => [keyOf(step), step]))
    return after.steps.every((step) => {
      if (step.event === null || step.state !== 'ended' || known.get(keyOf(step))?.state === 'ended') return true
      if (step.taken === null) return step.wakeAt !== null && 'now' in command && step.wakeAt <= command.now
      const event = events.get(step.taken)
      const once = after.steps.filter(({ job, taken }) => job === step.job && taken === step.taken).length === 1
      return once && event !== undefined && isFor(event, step, after.there)
    })
  },

  /** No suspended job has a wait for which an event is kept that none of its waits took; and events go only by an emit, the oldest. */
  'early-event-not-lost'({ command, before, after }) {
    const gone = before.events.filter(({ id }) => !after.events.some((event) => event.id === id))
    const mayGo = ({ seq, to }: EventView) =>
      command.type === 'emit' && to === null && seq <= (after.events.at(-1)?.seq ?? 0) - command.keepMax
    if (!gone.every(mayGo)) return false
    const suspended = new Set(after.jobs.filter(({ state }) => state === 'suspended').map(({ id }) => id))
    return after.steps.every((step) => {
      if (step.state !== 'waiting' || step.event === null || !suspended.has(step.job)) return true
      const taken = new Set(after.steps.filter(({ job }) => job === step.job).map((each) => each.taken))
      return !after.events.some((event) => !taken.has(event.seq) && isFor(event, step, after.there))
    })
  },

  /** A job one of whose waits has ended is not left asleep, and no timer wakes before its time. */
  'wake-not-lost'(commit) {
    const suspended = new Set(commit.after.jobs.filter(({ state }) => state === 'suspended').map(({ id }) => id))
    const ended = changes(commit).filter(({ was, is }) => was?.state === 'waiting' && is.state === 'ended')
    const { command } = commit
    const early = ended.filter(({ is }) => command.type === 'wake' && (is.wakeAt ?? Number.POSITIVE_INFINITY) > command.now)
    return early.length === 0 && ended.every(({ is }) => !suspended.has(is.job) || command.type === 'settle')
  },

  'attempts-exact'(commit) {
    const { command, before, after } = commit
    if (command.type !== 'settle' || command.settlement.type !== 'suspend') return true
    const was = before.jobs.find(({ id }) => id === holder(commit))
    const is = after.jobs.find(({ id }) => id === was?.id)
    return was === undefined || is === undefined || was.cancelRequested || is.attempt === was.attempt - 1
  },

  'suspended-holds-nothing': ({ after }) => after.jobs.every(({ state, owner }) => state !== 'suspended' || owner === null),

  'suspended-has-a-waker': ({ after }) =>
    after.jobs.every(
      ({ id, state }) => state !== 'suspended' || after.steps.some((step) => step.job === id && step.state === 'waiting'),
    ),
}

function isFor({ id, event, key, to }: EventView, step: StepView, there: Sight['there']): boolean {
  if (event !== step.event) return false
  if (to !== null) return to === step.job
  return (step.match === null || step.match === key) && (there.get(id)?.has(step.job) ?? false)
}

/** The names of the invariants that a commit breaks. */
export function broken(commit: Commit): string[] {
  return Object.entries(checks)
    .filter(([, holds]) => !holds(commit))
    .map(([name]) => name)
}

/** All invariants that {@link broken} can name. */
export const stepInvariants: readonly string[] = Object.keys(checks)
