/**
 * Makes the rows of a large batch and sends them a slice at a time, so that neither the app's thread nor the messages of the
 * supervisor stand still for long. The supervisor commits them at once, after the last slice.
 */
import type { Clock } from '../clock.ts'
import type { JobId } from '../job/lease.ts'
import type { NewJob } from '../job/new-job.ts'
import { type RoomWait, roomWait } from '../job/queue-depth-bound.ts'
import type { Placement } from '../persistence/commands/enqueue.ts'
import type { Enqueuer } from './enqueuer.ts'

/** How long a slice may take the app's thread. */
const sliceMs = 4
const sliceRows = 1_000

/** What is left of a row on this side. */
export interface EnqueuedJob {
  readonly id: JobId
  readonly kind: string
}

/** Where the slices go. */
export interface SliceServices {
  readonly enqueuer: Enqueuer
  readonly clock: Pick<Clock, 'mono' | 'nextTurn' | 'after'>
}

/**
 * Enqueues `count` jobs, each made by `rowOf`, all or none. What `rowOf` throws ends it, and nothing is stored.
 */
export async function enqueueSlices(
  count: number,
  rowOf: (index: number) => NewJob | Promise<NewJob>,
  { enqueuer, clock }: SliceServices,
  wait?: RoomWait,
): Promise<{ readonly jobs: readonly EnqueuedJob[]; readonly placed: readonly Placement[] }> {
  const jobs: EnqueuedJob[] = []
  const call = enqueuer.open()
  let parts = 0
  try {
    while (true) {
      const rows: NewJob[] = []
      const endAt = clock.mono() + sliceMs
      while (jobs.length < count && rows.length < sliceRows && clock.mono() < endAt) {
        const made = rowOf(jobs.length)
        const row = made instanceof Promise ? await made : made
        rows.push(row)
        jobs.push({ id: row.id, kind: row.kind })
      }
      if (jobs.length === count) {
        const enqueued = enqueuer.enqueue(rows, { call, parts, count })
        return {
          jobs,
          placed: await (wait === undefined ? enqueued : bounded(enqueued, wait, () => enqueuer.withdraw(call), clock)),
        }
      }
      enqueuer.sendPart(call, rows)
      parts++
      await new Promise<void>((resolve) => clock.nextTurn(resolve))
    }
  } catch (error) {
    if (parts > 0) enqueuer.abandon(call)
    throw error
  }
}

/** Withdraws a call that waits for room when its time is up. What was admitted by then stays so. */
async function bounded<T>(enqueued: Promise<T>, wait: RoomWait, withdraw: () => void, clock: Pick<Clock, 'after'>): Promise<T> {
  const { timeoutMs, signal } = roomWait(wait)
  const timer = timeoutMs === Number.POSITIVE_INFINITY ? undefined : clock.after(timeoutMs, withdraw)
  signal?.addEventListener('abort', withdraw, { once: true })
  if (signal?.aborted === true) withdraw()
  try {
    return await enqueued
  } finally {
    timer?.cancel()
    signal?.removeEventListener('abort', withdraw)
  }
}
