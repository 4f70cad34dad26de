/**
 * The invariants of kind X: what one committed command may do to the rows. They know nothing of the model, so that a wrong
 * store is named by the promise that it breaks, and a mistake in the model is no excuse for one in a store.
 */
import { isDeepStrictEqual } from 'node:util'
import { isTerminal, type TransitionCause, transitions } from '../../../src/job/state.ts'
import type { AttemptRow } from '../../../src/persistence/attempt-row.ts'
import type { ClaimCommand } from '../../../src/persistence/commands/claim.ts'
import type { Answer, Command } from '../../../src/persistence/commands/command.ts'
import type { SettleCommand } from '../../../src/persistence/commands/settle.ts'
import type { SteeredJob } from '../../../src/persistence/commands/steer.ts'
import type { JobRow } from '../../../src/persistence/job-row.ts'
import type { KeyValueRow } from './model-key-values.ts'
import { prunedBy, pruneIsSafe } from './pruning.ts'
import { type Pair, pairs, type Step } from './step.ts'
import { bornOf, insertedBy, mayReplace, tieChecks } from './tie-transitions.ts'

/** The names of all invariants that the step breaks. */
export function violations(step: Step): string[] {
  return Object.entries(checks)
    .filter(([, holds]) => !holds(step))
    .map(([name]) => name)
}

const unchanged = ({ was, is }: Pair): boolean => isDeepStrictEqual(was, is)
const claimed = ({ was, is }: Pair): boolean => was.state === 'ready' && is.state === 'running'
const subject = ({ was }: Pair, { lease }: SettleCommand): boolean =>
  was.id === lease.jobId && was.state === 'running' && was.token === lease.token

const checks: Readonly<Record<string, (step: Step) => boolean>> = {
  conservation(step) {
    const { command, answer, before, after } = step
    const expected = new Set<string>([...before.map(({ id }) => id), ...insertedBy(step)])
    for (const { id } of deletedBy(command, answer)) expected.delete(id)
    for (const { id } of prunedBy({ command, before, after })) expected.delete(id)
    // Of a child with a key nobody is told whether it was inserted.
    const may = new Set<string>([...expected, ...bornOf(step).map(({ id }) => id)])
    const there = new Set<string>(after.map(({ id }) => id))
    return there.size === after.length && [...expected].every((id) => there.has(id)) && after.every(({ id }) => may.has(id))
  },

  'prune-is-safe': pruneIsSafe,

  'birth-immutable': (step) =>
    pairs(step).every((pair) => {
      const { was, is } = pair
      const birth = (row: JobRow) => [row.kind, row.createdAt, row.uniqueKey, row.parent, row.root]
      const options = (row: JobRow) => [row.queue, row.group, row.priority, row.timeoutMs, row.correlationId]
      if (!isDeepStrictEqual(birth(was), birth(is))) return false
      if (mayReplace(step, was)) return true
      return isDeepStrictEqual(options(was), options(is)) && (retriedBy(step, pair) || keepsItsWork(pair))
    }),

  /** Only an explicit retry leaves a terminal state: it starts with nothing of what was, and its history says so. */
  'terminal-is-final': (step) =>
    pairs(step).every((pair) => {
      if (!isTerminal(pair.was.state) || unchanged(pair)) return true
      const { attempt, cancelRequested, error, result, crashes } = pair.is
      const starts = pair.is.state === 'ready' && attempt === 0 && !cancelRequested && error === null && crashes === 0
      const isTold = step.histories.after[pair.is.id]?.at(-1)?.outcome === 'retry'
      return retriedBy(step, pair) && starts && result === null && isTold
    }),

  /** Each end of an attempt has exactly one entry, under its token, and nothing else of a history changes but its oldest end. */
  'history-tells-all': (step) =>
    pairs(step).every((pair) => {
      const { id, state } = pair.is
      const past = (rows: readonly AttemptRow[] = []) => rows.filter(({ outcome }) => outcome !== null)
      const [before, after] = [past(step.histories.before[id]), past(step.histories.after[id])]
      const grown = after.slice(before.length)
      const isHeldOnly = state !== 'cancelled' && step.command.type === 'settle' && step.command.ran === undefined
      const ended = pair.was.state === 'running' && state !== 'running'
      const isTold = grown.filter(({ token, claimedAt }) => token === pair.was.token && claimedAt !== null).length === 1
      const isKept = before.length >= 50 || isDeepStrictEqual(after.slice(0, before.length), before)
      return isKept && (!ended || isTold || (isHeldOnly && causes(step.command, pair.was).includes('interrupted')))
    }),

  'steers-what-it-says'(step) {
    const { command, answer } = step
    if (command.type !== 'steer' || answer.type !== 'steered') return true
    const steered = new Set(answer.jobs.map(({ id }) => id))
    const isRunning = new Set(step.before.filter(({ state }) => state === 'running').map(({ id }) => id))
    return (
      !answer.jobs.some(({ id }) => isRunning.has(id)) &&
      pairs(step).every((pair) => unchanged(pair) || steered.has(pair.was.id) || pair.was.state === 'suspended')
    )
  },

  'published-edges-only': (step) =>
    pairs(step).every(
      ({ was, is }) =>
        was.state === is.state ||
        transitions.some(({ from, to, by }) => from === was.state && to === is.state && causes(step.command, was).includes(by)),
    ),

  'token-grows-on-claim': (step) =>
    pairs(step).every((pair) => pair.is.token === pair.was.token + (step.command.type === 'claim' && claimed(pair) ? 1 : 0)),

  'claim-precondition'(step) {
    const { command } = step
    if (command.type !== 'claim') return true
    const may = ({ was, is }: Pair) => was.runAt <= command.now && inQueues(was, command) && is.owner === command.owner
    return pairs(step).every((pair) => unchanged(pair) || (claimed(pair) && may(pair)))
  },

  'attempts-exact': (step) =>
    pairs(step).every((pair) => pair.is.attempt - pair.was.attempt === charge(step, pair)) &&
    step.after.every(({ state, attempt, attemptsMax }) => state !== 'running' || (attempt >= 1 && attempt <= (attemptsMax ?? 0))),

  'holder-stable': (step) =>
    pairs(step).every(
      ({ was, is }) =>
        was.state !== 'running' ||
        (is.state === 'running' && is.token === was.token && is.owner === was.owner) ||
        mayFree(step.command, was),
    ),

  'renew-by-holder'(step) {
    const { command } = step
    if (command.type !== 'renew') return true
    const held = ({ was }: Pair) =>
      was.state === 'running' &&
      was.owner === command.owner &&
      command.leases.some(({ jobId, token }) => jobId === was.id && token === was.token)
    return pairs(step).every((pair) =>
      isDeepStrictEqual(held(pair) ? { ...pair.was, leaseExpiresAt: command.leaseExpiresAt } : pair.was, pair.is),
    )
  },

  'settle-is-compare-and-set'(step) {
    const { command } = step
    if (!changesOwnEntriesOnly(step)) return false
    if (command.type === 'settle') {
      if (!pairs(step).some((pair) => subject(pair, command))) return isDeepStrictEqual(step.before, step.after)
      const others = pairs(step).filter((pair) => !subject(pair, command))
      return others.every((pair) => unchanged(pair) || pair.was.state === 'suspended' || mayReplace(step, pair.was))
    }
    if (command.type !== 'progress') return true
    const { lease } = command
    return pairs(step).every((pair) => subject(pair, { ...command, lease } as never) || unchanged(pair))
  },

  'backoff-floor'(step) {
    const { command } = step
    if (command.type !== 'settle' || !('delayMs' in command.settlement)) return true
    const { delayMs } = command.settlement
    return pairs(step).every(
      (pair) => !subject(pair, command) || pair.is.state !== 'ready' || pair.is.runAt >= command.now + delayMs,
    )
  },

  'cancel-waiting-is-immediate'({ command, before, after }) {
    if (command.type !== 'cancel') return true
    const waited = before.some(({ id, state }) => id === command.jobId && ['ready', 'parked', 'suspended'].includes(state))
    return !waited || after.some(({ id, state }) => id === command.jobId && state === 'cancelled')
  },

  'cancel-running-decides-once': (step) =>
    pairs(step).every(
      (pair) =>
        !pair.was.cancelRequested ||
        (retriedBy(step, pair)
          ? !pair.is.cancelRequested
          : pair.is.cancelRequested && ['running', 'cancelled'].includes(pair.is.state)),
    ),

  ...tieChecks,

  'result-only-when-settled': ({ after }) => after.every(({ result, state }) => result === null || state === 'completed'),

  'reclaim-takes-all'({ command, after }) {
    return command.type !== 'reclaim' || !after.some(({ state, owner }) => state === 'running' && owner === command.owner)
  },

  /** A death that several jobs were held at is charged to none; each is a suspect until it settles. */
  'neighbours-are-innocent'(step) {
    const { command } = step
    // What is set aside by hand is a suspect again when it comes back; the model knows which.
    if (command.type === 'steer')
      return pairs(step).every(({ was, is }) => is.state === 'ready' || !is.isSuspect || was.isSuspect)
    if (command.type !== 'reclaim') {
      const ends = (pair: Pair) =>
        command.type === 'settle' && subject(pair, command) && command.settlement.type !== 'interrupted'
      return pairs(step).every((pair) => {
        if (isTerminal(pair.is.state)) return isTerminal(pair.was.state) || !pair.is.isSuspect
        return pair.is.crashes === pair.was.crashes && pair.is.isSuspect === (pair.was.isSuspect && !ends(pair))
      })
    }
    const lost = pairs(step).filter(({ was }) => was.state === 'running' && was.owner === command.owner)
    return lost.every(({ was, is }) => {
      if (is.state === 'running') return true
      const logged = is.crashes === was.crashes + 1 && is.crashLog.at(-1)?.alone === (lost.length === 1)
      return logged && (is.state === 'ready' ? is.isSuspect : is.state === 'cancelled' || lost.length === 1)
    })
  },
}

/** All invariants that {@link violations} can name. */
export const transitionInvariants: readonly string[] = Object.keys(checks)

/** Key-value state changes by its own command, in the namespace of a kind that the command may write to. */
function changesOwnEntriesOnly({ command, before, entries }: Step): boolean {
  const outside = (kind: string | undefined) => (rows: readonly KeyValueRow[]) => rows.filter((row) => row.kind !== kind)
  const untouched = (kind: string | undefined) => isDeepStrictEqual(outside(kind)(entries.before), outside(kind)(entries.after))
  if (command.type !== 'key-value') return untouched(undefined)
  if ('kind' in command.by) return untouched(command.by.kind)
  const { jobId, token } = command.by.lease
  return untouched(before.find((job) => job.id === jobId && job.token === token && job.state === 'running')?.kind)
}

function inQueues({ queue }: JobRow, { queues, queuesExcluded }: ClaimCommand): boolean {
  return (queues === null || queues.includes(queue)) && !queuesExcluded.includes(queue)
}

/** By what a command may move a job. A requested cancel may win over any settlement. */
function causes(command: Command, { state }: JobRow): TransitionCause[] {
  const own = causesOf(command)
  return state === 'suspended' ? [...own, 'release', 'dependency-failed'] : own
}

function causesOf(command: Command): TransitionCause[] {
  if (command.type === 'steer') return command.act.type === 'delete' ? [] : [command.act.type]
  if (command.type === 'settle') return [command.settlement.type, 'cancel']
  if (command.type === 'claim' || command.type === 'cancel' || command.type === 'reclaim') return [command.type]
  return []
}

/** How the attempt number must move. */
function charge({ command, before }: Step, pair: Pair): number {
  if (command.type === 'claim') return claimed(pair) ? 1 : 0
  if (command.type === 'steer') return isTerminal(pair.was.state) && pair.is.state === 'ready' ? -pair.was.attempt : 0
  if (command.type === 'reclaim') {
    const held = before.filter(({ state, owner }) => state === 'running' && owner === command.owner)
    return held.length > 1 && held.some(({ id }) => id === pair.was.id) && pair.is.state === 'ready' ? -1 : 0
  }
  if (command.type !== 'settle' || !subject(pair, command) || pair.is.state !== 'ready') return 0
  return command.settlement.type === 'snooze' || command.settlement.type === 'interrupted' ? -1 : 0
}

/** Whether the step is an explicit retry of this job. */
function retriedBy({ command }: Step, { was, is }: Pair): boolean {
  return command.type === 'steer' && command.act.type === 'retry' && isTerminal(was.state) && is.state === 'ready'
}

/** The ids that a delete by request took away. */
function deletedBy(command: Command, answer: Answer): readonly SteeredJob[] {
  return command.type === 'steer' && command.act.type === 'delete' && answer.type === 'steered' ? answer.jobs : []
}

/** What an explicit retry may change, and nothing else. */
function keepsItsWork({ was, is }: Pair): boolean {
  return isDeepStrictEqual([was.input, was.attemptsMax ?? is.attemptsMax], [is.input, is.attemptsMax])
}

function mayFree(command: Command, was: JobRow): boolean {
  if (command.type === 'settle') return command.lease.jobId === was.id
  return command.type === 'reclaim' && command.owner === was.owner
}
