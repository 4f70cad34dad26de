/**
 * Makes the rows of a large batch and sends them a slice at a time, so that neither the app's thread nor the messages of the
 * supervisor stand still for long. The supervisor commits them at once, after the last slice.
 */
import type { Clock } from '../clock.ts'
import type { JobId } from '../job/lease.ts'
import type { NewJob } from '../job/new-job.ts'
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
  readonly clock: Pick<Clock, 'mono' | 'nextTurn'>
}

/**
 * Enqueues `count` jobs, each made by `rowOf`, all or none. What `rowOf` throws ends it, and nothing is stored.
 */
export async function enqueueSlices(
  count: number,
  rowOf: (index: number) => NewJob | Promise<NewJob>,
  { enqueuer, clock }: SliceServices,
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
      if (jobs.length === count) return { jobs, placed: await enqueuer.enqueue(rows, { call, parts, count }) }
      enqueuer.sendPart(call, rows)
      parts++
      await new Promise<void>((resolve) => clock.nextTurn(resolve))
    }
  } catch (error) {
    if (parts > 0) enqueuer.abandon(call)
    throw error
  }
}
