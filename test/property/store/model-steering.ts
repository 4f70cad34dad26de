/** What is done by hand, and the history that tells of it, as the model says it. */
import type { JobCriteria } from '../../../src/job/job-filter.ts'
import { isTerminal, type JobState } from '../../../src/job/state.ts'
import type { AttemptRow } from '../../../src/persistence/attempt-row.ts'
import type { SettleCommand } from '../../../src/persistence/commands/settle.ts'
import type { HeldKey, SteerAct, SteerAnswer, SteerCommand, SteeredJob } from '../../../src/persistence/commands/steer.ts'
import type { Model, ModelJob } from './model.ts'
import { endTies, holderNow } from './model-ties.ts'

/** The answers of pages, by operation. */
const answered = new WeakMap<Model, Map<string, SteerAnswer>>()

/** One page; the model has so few jobs that a page looks at all of them. */
export function runSteer(model: Model, command: SteerCommand, repeated: boolean): SteerAnswer {
  const answers = answered.get(model) ?? new Map<string, SteerAnswer>()
  answered.set(model, answers)
  const before = repeated ? answers.get(command.operation) : undefined
  if (before !== undefined) return before
  const { act, criteria, room, now } = command
  const meant = model.filter((job) => matches(job, criteria) && takes(act, job)).slice(0, room)
  const jobs: SteeredJob[] = []
  const held: HeldKey[] = []
  for (const { job, was } of meant.map((each) => ({ job: each, was: each.state }))) {
    // What was done to one may have ended another.
    if (!takes(act, job)) continue
    const holder = act.type === 'retry' ? keyHolder(model, job, now) : undefined
    if (holder !== undefined) held.push({ id: job.id, holder })
    else {
      carryOut(model, job, act, now)
      jobs.push({ id: job.id, was })
    }
  }
  const next = criteria.ids === undefined && meant.length === room ? { after: 0, upTo: 0 } : null
  const answer: SteerAnswer = { type: 'steered', jobs, next, ...(held.length > 0 && { held }) }
  answers.set(command.operation, answer)
  return answer
}

/** Who holds the key of a job that is to start again; else it has its key again. */
function keyHolder(model: Model, job: ModelJob, now: number): ModelJob['id'] | undefined {
  if (job.uniqueKey === null || (job.keyUntil !== null && job.keyUntil <= now)) return undefined
  const holder = holderNow(model, job.uniqueKey, now)
  if (holder !== undefined && holder !== job) return holder.id
  job.holdsKey = true
  return undefined
}

function takes({ type }: SteerAct, { state }: ModelJob): boolean {
  if (type === 'retry') return isTerminal(state)
  if (type === 'park') return state === 'ready'
  if (type === 'reopen') return state === 'parked'
  return type === 'discard' ? ['ready', 'parked', 'suspended'].includes(state) : state !== 'running'
}

function carryOut(model: Model, job: ModelJob, act: SteerAct, now: number): void {
  const { token, attempt } = job
  const byHand = {
    token,
    attempt,
    claimedAt: null,
    startedAt: null,
    endedAt: now,
    threadId: null,
    owner: null,
    error: null,
    timings: [],
  }
  switch (act.type) {
    case 'retry': {
      job.history = historyOf(job)
      // Only where that settle ended the job; one that put it back is known as ever.
      if (job.settled?.answer.type === 'settled' && job.settled.answer.state !== 'ready')
        job.settled = { ...job.settled, isPast: true }
      const cleared = { settledAt: null, cancelledAt: null, error: null, result: null, progress: null, progressNote: null }
      Object.assign(job, { ...cleared, state: 'ready', attempt: 0, runAt: act.runAt, cancelRequested: false })
      Object.assign(job, { crashes: 0, crashLog: [], attemptsMax: act.attemptsMax ?? job.attemptsMax })
      Object.assign(job, { isSuspect: job.wasSuspect, wasSuspect: false })
      if (act.input !== undefined) Object.assign(job, { input: act.input.payload })
      return remember(job, { ...byHand, outcome: 'retry' })
    }
    case 'park':
      Object.assign(job, { state: 'parked', wasSuspect: job.isSuspect, isSuspect: false })
      return remember(job, { ...byHand, outcome: 'park' })
    case 'reopen':
      Object.assign(job, { state: 'ready', isSuspect: job.wasSuspect, wasSuspect: false })
      return remember(job, { ...byHand, outcome: 'reopen' })
    case 'discard':
      Object.assign(job, { state: 'discarded', settledAt: now, error: act.error })
      Object.assign(job, { wasSuspect: job.isSuspect || job.wasSuspect, isSuspect: false })
      remember(job, { ...byHand, outcome: 'discard', error: act.error })
      return endTies(model, job, now)
    case 'delete':
      if (!isTerminal(job.state)) {
        job.state = 'cancelled'
        endTies(model, job, now)
      }
      model.splice(model.indexOf(job), 1)
  }
}

/** Adds an entry to the history of a job. */
export function remember(job: ModelJob, entry: AttemptRow): void {
  job.history = [...job.history, entry].slice(-50)
}

/** A job that was only held has no attempt to tell of, and a completed one tells of it by itself. */
export function tellSettled(job: ModelJob, state: JobState, { now, ran, settlement }: SettleCommand): void {
  job.ran = ran
  if (state === 'completed' || (state === 'ready' && settlement.type === 'interrupted' && ran === undefined)) return
  const { attempt, token, claimedAt, owner } = job
  const outcome = state === 'cancelled' ? 'cancel' : settlement.type
  const error = state !== 'cancelled' && 'error' in settlement ? (settlement.error ?? null) : null
  const { startedAt = null, threadId = null, timings = [] } = ran ?? {}
  remember(job, { attempt, token, outcome, claimedAt, startedAt, endedAt: now, threadId, owner, error, timings })
}

/** The history as it is shown: an attempt that runs, or completed, is told by the job itself. */
export function historyOf(job: ModelJob): readonly AttemptRow[] {
  const { state, token, attempt, claimedAt, owner, settledAt, ran } = job
  const common = { attempt, token, claimedAt, owner, error: null, timings: [] }
  if (state === 'running') return [...job.history, { ...common, outcome: null, startedAt: null, endedAt: null, threadId: null }]
  if (state !== 'completed') return job.history
  const { startedAt = null, threadId = null, timings = [] } = ran ?? {}
  return [...job.history, { ...common, outcome: 'complete', startedAt, endedAt: settledAt, threadId, timings }]
}

/** Whether the filter means the job. */
function matches(job: ModelJob, criteria: JobCriteria): boolean {
  const { ids, kinds, queues, states, settledBefore, createdAfter, errorCode } = criteria
  return (
    (ids?.includes(job.id) ?? true) &&
    (kinds?.includes(job.kind) ?? true) &&
    (queues?.includes(job.queue) ?? true) &&
    (states?.includes(job.state) ?? true) &&
    (settledBefore === undefined || (job.settledAt !== null && job.settledAt < settledBefore)) &&
    (createdAfter === undefined || job.createdAt >= createdAfter) &&
    (errorCode === undefined || job.error?.code === errorCode)
  )
}
