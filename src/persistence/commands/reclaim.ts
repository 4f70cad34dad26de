/** Reclaim: the command that takes back what a dead owner was running, and its answer. */
import type { JobId, OwnerId } from '../../job/lease.ts'
import type { JobState } from '../../job/state.ts'
import type { Moves } from './moved-job.ts'

/**
 * Takes back every running job of an owner that is *proved* dead: `cancelled` where a cancel was requested, else
 * `ready` at once, as a suspect. A job that was held alone stays charged, and is `discarded` where the lost attempt was the last,
 * or where `crashesMax` processes have died while they held it alone. Of several none is charged. `crashes` grows.
 */
export interface ReclaimCommand {
  readonly type: 'reclaim'
  readonly now: number
  readonly owner: OwnerId
  readonly crashesMax: number
}
/** The jobs that were taken back, and where each of them went. */
export interface ReclaimAnswer extends Moves {
  readonly type: 'reclaimed'
  readonly jobs: readonly { readonly id: JobId; readonly kind: string; readonly state: JobState; readonly attempt: number }[]
}
