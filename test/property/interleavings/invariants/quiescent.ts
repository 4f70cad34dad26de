/**
 * What must hold when nothing is under way: no message, no commit, no timer that is due. Time stands still then, so
 * "within a bound" is exact. The bounds on stores hold only once faults have stopped.
 */
import { isTerminal } from '../../../../src/job/state.ts'
import { scriptOf } from '../../../support/sim/handlers.ts'
import type { RunRecord } from '../../../support/sim/history.ts'
import { simConfig } from '../../../support/sim/sim-owner.ts'
import type { World } from '../../../support/sim/world.ts'

/** How long after the faults a committed cancel may take to reach its thread. */
const deliveryMaxMs = 1_200

/** Judges a moment of rest. `calmFor` says for how long there have been no faults; null while there are. */
export function judgeRest(world: World, calmFor: number | null): void {
  for (const run of world.history.live()) {
    judgeTimeout(world, run)
    if (calmFor !== null) {
      judgeCancel(world, run, calmFor)
      judgeLease(world, run, calmFor)
    }
  }
}

/** The signal by the deadline, the end of the thread by the grace after it. Native code may still keep the thread. */
function judgeTimeout({ history, time }: World, run: RunRecord): void {
  const { startedAt, stop, terminatedAt, timeoutMs, kind } = run
  const { timeoutGraceMs = simConfig.timeoutGraceMs, stopGraceMs = simConfig.stopGraceMs } = scriptOf(kind).settings ?? {}
  if (startedAt !== null && time.mono >= startedAt + timeoutMs)
    history.check(
      'timeout-stops',
      stop !== null || terminatedAt !== null,
      () => `${run.jobId}/${run.token} ran past its deadline`,
    )
  if (stop === null) return
  const graceMs = stop.reason === 'timeout' ? timeoutGraceMs : stopGraceMs
  if (time.mono >= stop.at + graceMs)
    history.check(
      'timeout-stops',
      terminatedAt !== null,
      () => `${run.jobId}/${run.token} outlived its grace after ${stop.reason}`,
    )
}

function judgeCancel({ history, time, cancelRequestedAt }: World, run: RunRecord, calmFor: number): void {
  const requestedAt = cancelRequestedAt.get(run.jobId)
  if (requestedAt === undefined || Math.min(time.mono - requestedAt, calmFor) < deliveryMaxMs) return
  history.check(
    'cancel-is-delivered',
    run.stop !== null || run.terminatedAt !== null,
    () => `${run.jobId}/${run.token} was never told to stop`,
  )
}

/** A thread that lives keeps its lease, however long its handler is busy (promise P5). */
function judgeLease({ history, time, rig }: World, run: RunRecord, calmFor: number): void {
  const row = rig.row(run.jobId)
  // A claim may have waited for its commit through a leap of time; the renewals after it may not.
  if (
    Math.min(calmFor, time.mono - run.handedAt) < simConfig.leaseDurationMs / 2 ||
    row?.token !== run.token ||
    row.state !== 'running'
  )
    return
  history.check(
    'lease-kept',
    (row.lease_expires_at ?? 0) > time.wall,
    () => `the lease of ${run.jobId}/${run.token} has expired while it runs`,
  )
}

/** At the very end: everything that was asked for has come to an end, and nothing is left over. */
export function judgeEnd(world: World): void {
  const { history, rig } = world
  const rows = [...rig.snapshot().values()]
  for (const row of rows.filter(({ state }) => !isTerminal(state))) {
    const name = row.state === 'ready' ? 'wake-not-lost' : row.cancel_requested === 1 ? 'cancel-is-delivered' : 'timeout-stops'
    history.check(name, false, () => `${row.id} (${row.kind}) is still ${row.state}`)
  }
  history.check('wake-not-lost', true, String)
  for (const owner of world.draining) history.check('drain-keeps', false, () => `the drain of ${owner.id} never ends`)
  history.check('drain-keeps', history.live().length === 0, () => 'a thread is at work after all is closed')
  for (const { name, violators } of rig.violators({ deep: true }))
    history.check(name, violators.length === 0, () => String(violators))
}
