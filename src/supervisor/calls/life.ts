/** The life of jobs and of the runtime itself: cancel, drain, close. */
import { ReeveError } from '../../errors.ts'
import type { JobId } from '../../job/lease.ts'
import type { CancelAnswer } from '../../persistence/commands/cancel.ts'
import type { JobRow } from '../../persistence/job-row.ts'
import { drain } from '../drain.ts'
import type { Services } from '../services.ts'
import { answer, type CallAnswer } from './answer.ts'

/** How a close ended. */
export interface CloseAnswer {
  /** Threads that could not be ended: their jobs stay `running`, and this process keeps its presence lock until it exits. */
  readonly condemned: number
}

/** Calls that end something. */
export interface LifeCalls {
  cancel(id: JobId): Promise<CallAnswer<CancelAnswer>>
  drain(timeoutMs: number): Promise<CallAnswer<null>>
  close(timeoutMs: number): Promise<CallAnswer<CloseAnswer>>
}

/** Makes the calls that end something. */
export function lifeCalls(services: Services, close: () => Promise<void>): LifeCalls {
  return {
    cancel: (id) => answer(() => cancel(services, id)),
    drain: (timeoutMs) =>
      answer(async () => {
        await drain(services, timeoutMs)
        return null
      }),
    close: (timeoutMs) =>
      answer(async () => {
        await drain(services, timeoutMs)
        await close()
        return { condemned: services.pool.condemnedCount() }
      }),
  }
}

async function cancel({ committer, clock, dispatcher, announcer, store, presence }: Services, id: JobId): Promise<CancelAnswer> {
  const verdict = await committer.submit({ type: 'cancel', now: clock.wall(), jobId: id })
  if (verdict.type === 'cancel-requested' && verdict.owner === presence.owner)
    dispatcher.cancel({ jobId: id, token: verdict.token })
  if (verdict.type === 'cancelled') {
    announcer.cancelled(subjectOf(await rowOf(store.job(id), id)))
    // Its end may have let another one go that waited for it.
    dispatcher.wake()
  }
  return verdict
}

async function rowOf(asked: Promise<JobRow | null>, id: JobId): Promise<JobRow> {
  const row = await asked
  if (row === null) throw new ReeveError('REEVE_JOB_NOT_FOUND', `No job has the id ${id}.`, { jobId: id })
  return row
}

function subjectOf({ id, kind, queue, attempt, token }: JobRow) {
  return { jobId: id, kind, queue, attempt, token }
}
