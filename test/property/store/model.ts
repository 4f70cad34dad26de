/**
 * What a store is, said as plainly as can be: a list of jobs and one function. No index, no transaction, no SQL; where it
 * and a store disagree, one of the two is wrong.
 */

import type { NewJob } from '../../../src/job/new-job.ts'
import type { Settlement } from '../../../src/job/outcome.ts'
import { isTerminal, type JobState } from '../../../src/job/state.ts'
import type { AttemptRow } from '../../../src/persistence/attempt-row.ts'
import type { CancelAnswer, CancelCommand } from '../../../src/persistence/commands/cancel.ts'
import type { ClaimedJob } from '../../../src/persistence/commands/claim.ts'
import type { Answer, Command } from '../../../src/persistence/commands/command.ts'
import type { LogCommand } from '../../../src/persistence/commands/log.ts'
import type { ProgressCommand } from '../../../src/persistence/commands/progress.ts'
import type { ReclaimAnswer, ReclaimCommand } from '../../../src/persistence/commands/reclaim.ts'
import type { RenewCommand } from '../../../src/persistence/commands/renew.ts'
import type { ScheduleCommand } from '../../../src/persistence/commands/schedules.ts'
import type { Ran, SettleAnswer, SettleCommand } from '../../../src/persistence/commands/settle.ts'
import type { JobRow } from '../../../src/persistence/job-row.ts'
import { crashError } from '../../../src/persistence/sqlite/crash-story.ts'
import { type LoggedLine, linesAfter } from './log-lines.ts'
import { remember, runSteer, tellSettled } from './model-steering.ts'
import { runPrune } from './pruning.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

import { endTies, runChildren, runEnqueue, type Ties } from './model-ties.ts'

/** A job as the model keeps it: what people see, and what the answers to repeated commands need. */
export interface ModelJob extends Writable<JobRow>, Ties {
  backoff: NewJob['backoff']
  claimNumber: number | null
  /** Its place in its last claim. */
  claimPlace: number
  /** The last settle that took effect; an older token is stale like any other. */
  settled: { readonly token: number; readonly answer: SettleAnswer; readonly isPast?: boolean } | null
  /** When a cancel ended this job while it waited, so that the same one repeated is told apart. */
  cancelledAt: number | null
  /** Whose death the last reclaim of it was. */
  lostOwner: string | null
  logs: LoggedLine[]
  /** It was a suspect when it was set aside. */
  wasSuspect: boolean
  /** Where the attempt ran that settled last. */
  ran: Ran | undefined
  history: readonly AttemptRow[]
}

/** Jobs in the order of insertion. */
export type Model = ModelJob[]

/** What programs are made of: steps, schedules and locks have properties of their own. */
export type ProgramCommand = Exclude<Command, ScheduleCommand | { readonly type: 'step' | 'emit' | 'wake' | 'lock' | 'unlock' }>

/** What needs nothing but the jobs: claims and gates have files of their own. */
export type PlainCommand = Exclude<
  ProgramCommand,
  { readonly type: 'key-value' | 'claim' | 'declare-limits' | 'pause' | 'resume' | 'close-breaker' }
>

/** Runs a command on the model and answers as a store must. */
export function run(model: Model, command: PlainCommand, repeated = false): Answer {
  switch (command.type) {
    case 'enqueue':
      return runEnqueue(model, command, repeated)
    case 'renew':
      return runRenew(model, command)
    case 'settle':
      return runSettle(model, command)
    case 'progress':
      return runProgress(model, command)
    case 'log':
      return runLog(model, command)
    case 'cancel':
      return runCancel(model, command, repeated)
    case 'reclaim':
      return runReclaim(model, command, repeated)
    case 'keep-events':
      return { type: 'events-kept' }
    case 'prune-events':
      return { type: 'events-pruned' }
    case 'steer':
      return runSteer(model, command, repeated)
    case 'prune':
      return runPrune(model, command, repeated)
  }
}

/** The visible part of a job, to compare with a row of a store. */
export function visible(job: ModelJob): JobRow {
  const { backoff, claimNumber, claimPlace, settled, cancelledAt, lostOwner, wasSuspect, ran, history, logs, ...row } = job
  const { hold, holdsKey, keyUntil, followKey, needs, ifFailed, replacedBy, ...seen } = row
  return seen
}

/** A job as a claim hands it out. */
export function claimedJob(job: ModelJob): ClaimedJob {
  const { id, token, kind, queue, group, priority, input, attempt, timeoutMs, backoff, createdAt, runAt, isSuspect, tick } = job
  const { parent, root, correlationId } = job
  return {
    id,
    token,
    kind,
    queue,
    group,
    priority,
    input,
    attempt,
    timeoutMs,
    backoff,
    createdAt,
    runAt,
    isSuspect,
    tick,
    attemptsMax: job.attemptsMax ?? 0,
    ...(parent !== null || correlationId !== null ? { family: { parent, root, correlationId } } : {}),
  }
}

function runRenew(model: Model, { leases, owner, leaseExpiresAt }: RenewCommand): Answer {
  const lost = leases.filter((lease) => {
    const job = holder(model, lease)
    if (job?.owner !== owner) return true
    job.leaseExpiresAt = leaseExpiresAt
    return false
  })
  return { type: 'renewed', lost }
}

function runSettle(model: Model, command: SettleCommand): SettleAnswer {
  const { lease, settlement, now } = command
  const job = model.find(({ id }) => id === lease.jobId)
  if (job === undefined) return { type: 'stale' }
  if (job.settled?.token === lease.token && (!job.settled.isPast || job.token === lease.token)) return job.settled.answer
  if (holder(model, lease) === undefined) return { type: 'stale' }
  const state = stateAfter(job, settlement)
  tellSettled(job, state, command)
  const uncharged = state === 'ready' && (settlement.type === 'snooze' || settlement.type === 'interrupted')
  if (state === 'ready') job.runAt = runAtAfter(job, settlement, now)
  if (uncharged) job.attempt--
  if (state !== 'cancelled' && 'error' in settlement && settlement.error !== undefined) job.error = settlement.error
  if (state === 'completed' && settlement.type === 'complete') job.result = settlement.result
  // Taken off its thread before its end, it has not been seen to be harmless.
  job.isSuspect = job.isSuspect && state === 'ready' && settlement.type === 'interrupted'
  free(model, job, state, now)
  if (state === 'completed' && settlement.type === 'complete') runChildren(model, job, settlement.children ?? [], now)
  const answer: SettleAnswer = { type: 'settled', state, runAt: state === 'ready' ? job.runAt : now }
  job.settled = { token: lease.token, answer }
  return answer
}

function stateAfter(job: ModelJob, { type }: Settlement): JobState {
  if (job.cancelRequested || type === 'cancel' || type === 'skip') return 'cancelled'
  if (type === 'complete') return 'completed'
  if (type === 'discard') return 'discarded'
  return type === 'fail' && job.attempt >= (job.attemptsMax ?? 0) ? 'discarded' : 'ready'
}

function runAtAfter(job: ModelJob, settlement: Settlement, now: number): number {
  return 'delayMs' in settlement ? now + settlement.delayMs : Math.min(job.runAt, now)
}

function runProgress(model: Model, { lease, fraction, note }: ProgressCommand): Answer {
  const job = holder(model, lease)
  if (job === undefined) return { type: 'progressed', applied: false }
  job.progress = fraction ?? job.progress
  job.progressNote = note ?? job.progressNote
  return { type: 'progressed', applied: true }
}

function runLog(model: Model, command: LogCommand): Answer {
  const job = holder(model, command.lease)
  if (job === undefined) return { type: 'logged', applied: false }
  job.logs = linesAfter(job.logs, command)
  return { type: 'logged', applied: true }
}

function runCancel(model: Model, command: CancelCommand, repeated: boolean): CancelAnswer {
  const job = model.find(({ id }) => id === command.jobId)
  if (job === undefined) return { type: 'not-found' }
  if (repeated && job.cancelledAt === command.now) return { type: 'cancelled' }
  if (isTerminal(job.state)) return { type: 'already-over', state: job.state }
  if (job.state === 'running' && job.owner !== null) {
    job.cancelRequested = true
    return { type: 'cancel-requested', owner: job.owner, token: job.token }
  }
  job.cancelledAt = command.now
  job.state = 'cancelled'
  job.wasSuspect = job.isSuspect || job.wasSuspect
  job.isSuspect = false
  job.settledAt = command.now
  endTies(model, job, command.now)
  return { type: 'cancelled' }
}

function runReclaim(model: Model, { owner, now, crashesMax }: ReclaimCommand, repeated: boolean): ReclaimAnswer {
  const before = repeated ? model.filter(({ lostOwner }) => lostOwner === owner) : []
  const again = before.map(({ id, kind, state, attempt }) =>
    state === 'running' ? { id, kind, state: 'ready' as const, attempt: attempt - 1 } : { id, kind, state, attempt },
  )
  const lost = model.filter((job) => job.state === 'running' && job.owner === owner)
  const alone = lost.length === 1
  for (const job of lost) {
    const message = `The process that ran attempt ${job.attempt} died before it settled.`
    const error = { name: 'ReeveError', code: 'REEVE_ATTEMPT_LOST', message }
    const { attempt, token, claimedAt } = job
    job.crashes++
    job.crashLog = [...job.crashLog, { at: now, owner, alone }].slice(-20)
    const crashesAlone = job.crashLog.filter((crash) => crash.alone).length
    let state = alone ? stateAfter(job, { type: 'fail', delayMs: 0, error }) : job.cancelRequested ? 'cancelled' : 'ready'
    if (alone && crashesAlone >= crashesMax && state !== 'cancelled') {
      state = 'discarded'
      job.error = crashError({ log: job.crashLog, crashes: job.crashes, crashesAlone })
    } else if (state !== 'cancelled') job.error = error
    if (!alone && state === 'ready') job.attempt--
    job.isSuspect = state === 'ready'
    job.wasSuspect = state !== 'ready'
    const told = state === 'cancelled' ? error : job.error
    const unknown = { startedAt: null, threadId: null, timings: [] }
    remember(job, { ...unknown, attempt, token, outcome: 'reclaim', claimedAt, endedAt: now, owner, error: told })
    job.runAt = Math.min(job.runAt, now)
    job.lostOwner = owner
    free(model, job, state, now)
  }
  return { type: 'reclaimed', jobs: [...again, ...lost.map(({ id, kind, state, attempt }) => ({ id, kind, state, attempt }))] }
}

function holder(model: Model, lease: { jobId: string; token: number }): ModelJob | undefined {
  return model.find(({ id, token, state }) => id === lease.jobId && token === lease.token && state === 'running')
}

function free(model: Model, job: ModelJob, state: JobState, now: number): void {
  Object.assign(job, { state, owner: null, claimNumber: null, leaseExpiresAt: null, settledAt: isTerminal(state) ? now : null })
  if (isTerminal(state)) endTies(model, job, now)
}
