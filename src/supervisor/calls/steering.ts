/** Steering by hand: retry, park, reopen, discard, delete; page by page, so that nothing else waits for long. And the history that tells of it. */
import { ReeveError } from '../../errors.ts'
import type { JobCriteria } from '../../job/job-filter.ts'
import type { JobId } from '../../job/lease.ts'
import type { AttemptRow } from '../../persistence/attempt-row.ts'
import type { HeldKey, SteerAct, SteerAnswer } from '../../persistence/commands/steer.ts'
import type { Services } from '../services.ts'
import { answer, type CallAnswer } from './answer.ts'

/** How many jobs one commit steers at most: some ten milliseconds. */
const jobsPerCommit = 200

/** What is to be done, and to which jobs. */
export interface SteerRequest {
  readonly act: SteerAct
  readonly criteria: JobCriteria
  /** How many at most; `Infinity` for all. */
  readonly limit: number
  /** Where exactly one job is meant, it is an error that nothing could be done. */
  readonly only: JobId | null
}

/** Calls that steer. */
export interface SteeringCalls {
  /** Answers how many jobs it was done to. */
  steer(request: SteerRequest): Promise<CallAnswer<number>>
  /** The history of a job, oldest first; null where no job has this id. */
  attempts(id: JobId): Promise<CallAnswer<readonly AttemptRow[] | null>>
}

/** Makes the calls that steer. */
export function steeringCalls(services: Services): SteeringCalls {
  return {
    steer: (request) => answer(() => steer(services, request)),
    attempts: (id) => answer(() => services.store.attempts(id)),
  }
}

async function steer(services: Services, { act, criteria, limit, only }: SteerRequest): Promise<number> {
  const { committer, clock, random } = services
  const operation = random.id(clock.wall())
  let page = 0
  let count = 0
  for (const part of partsOf(criteria)) {
    let cursor: SteerAnswer['next'] = null
    do {
      const room = Math.min(jobsPerCommit, limit - count)
      if (room <= 0) return count
      const command = { type: 'steer', now: clock.wall(), operation, page: page++, act, criteria: part, cursor, room } as const
      const steered: SteerAnswer = await committer.submit(command)
      count += steered.jobs.length
      const [held] = steered.held ?? []
      if (only !== null && held !== undefined) throw keyHeld(held)
      await tell(services, act, steered)
      cursor = steered.next
    } while (cursor !== null)
  }
  if (only !== null && count === 0) throw await whyNot(services, act, only)
  return count
}

/** A list of ids is found by the index of ids, in lists that are short enough for one commit. */
function* partsOf(criteria: JobCriteria): Iterable<JobCriteria> {
  const { ids } = criteria
  if (ids === undefined) return yield criteria
  for (let from = 0; from < ids.length; from += jobsPerCommit) yield { ...criteria, ids: ids.slice(from, from + jobsPerCommit) }
}

/** After the COMMIT: whoever waits for one of these jobs, and the dispatcher. */
async function tell({ dispatcher, announcer, notifier, store }: Services, act: SteerAct, { jobs }: SteerAnswer): Promise<void> {
  if (jobs.length === 0) return
  switch (act.type) {
    case 'retry':
    case 'reopen':
      return dispatcher.wake()
    case 'discard': {
      // Another job may have waited for the end of one of these; and so below.
      dispatcher.wake()
      const rows = await store.finished(jobs.map(({ id }) => id))
      return announcer.over([...rows.values()].filter((row) => row !== null))
    }
    case 'delete':
      dispatcher.wake()
      return notifier.recheck()
  }
}

function keyHeld({ id, holder }: HeldKey): ReeveError {
  const message = `Job ${id} was not retried: job ${holder} holds its unique key meanwhile. Wait for that one, or cancel it first.`
  return new ReeveError('REEVE_JOB_DUPLICATE', message, { jobId: holder })
}

const takes: Readonly<Record<SteerAct['type'], string>> = {
  retry: 'only a job that is over can be retried',
  park: 'only a job that is ready can be parked',
  reopen: 'only a parked job can be reopened',
  discard: 'only a job that waits can be discarded; cancel one that runs',
  delete: 'a running job cannot be deleted; cancel it first',
}

async function whyNot({ store }: Services, act: SteerAct, jobId: JobId): Promise<ReeveError> {
  const row = await store.job(jobId)
  if (row === null)
    return new ReeveError(
      'REEVE_JOB_NOT_FOUND',
      `No job has the id ${jobId}: it was never enqueued in this database, or was pruned.`,
      {
        jobId,
      },
    )
  const { kind, state } = row
  return new ReeveError('REEVE_JOB_STATE', `Job ${jobId} (${kind}) is ${state}: ${takes[act.type]}.`, { jobId, kind })
}
