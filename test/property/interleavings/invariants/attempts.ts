/** The invariants that tie a job's row to the threads (kind H): who is at work, whose word counts, what a stop comes to. */
import { isDeepStrictEqual } from 'node:util'
import type { Command } from '../../../../src/persistence/commands/command.ts'
import type { History, RunRecord } from '../../../support/sim/history.ts'
import { type SimOwner, simConfig } from '../../../support/sim/sim-owner.ts'
import type { World } from '../../../support/sim/world.ts'
import type { Settled } from './edges.ts'

/** A settle that took effect, against what its thread did. */
export function judgeSettle(history: History, { command, answer, was }: Settled): void {
  const { lease, settlement } = command
  const key = `${lease.jobId}/${lease.token}`
  const run = history.runOf(lease.jobId, lease.token)
  if (run === undefined) {
    history.check(
      'attempts-exact',
      settlement.type === 'interrupted',
      () => `${key} never ran and was settled with ${settlement.type}`,
    )
    return
  }
  const { said } = run
  history.check('one-live-attempt', !history.isLive(run), () => `${key} was settled while its thread ${run.threadId} ran it`)
  history.check(
    'no-word-from-the-dead',
    (settlement.type === 'complete') === (said?.type === 'returned'),
    () => `${key} was settled with ${settlement.type} and its handler said ${JSON.stringify(said)}`,
  )
  if (settlement.type === 'complete' && said?.type === 'returned')
    history.check('no-word-from-the-dead', isDeepStrictEqual(settlement.result, said.result), () => `${key} has another's result`)
  if (settlement.type === 'cancel')
    history.check('drain-keeps', was.cancelRequested, () => `${key} was cancelled and nobody asked for it`)
  if (was.cancelRequested)
    history.check('cancel-running-decides-once', answer.state === 'cancelled', () => `${key} ended as ${answer.state}`)
  else if (wasStopped(run, 'drain'))
    history.check('drain-keeps', isUncharged(settlement.type), () => `${key} was interrupted and charged: ${settlement.type}`)
  if (wasStopped(run, 'timeout'))
    history.check(
      'timeout-stops',
      settlement.type === 'fail' && settlement.error.code === 'REEVE_ATTEMPT_TIMED_OUT',
      () => `${key}: ${settlement.type}`,
    )
}

function isUncharged(settlement: string): boolean {
  return settlement === 'interrupted' || settlement === 'snooze'
}

/** Whether the stop is all that decides: the handler said nothing, or threw because of it. */
function wasStopped({ said, stop }: RunRecord, reason: 'drain' | 'timeout'): boolean {
  return (
    stop?.reason === reason && (said === null || said.type === 'threw') && (said === null || said.error.name === 'AbortError')
  )
}

/** Progress that was written is progress that its own run has sent. */
export function judgeProgress(history: History, command: Command): void {
  if (command.type !== 'progress') return
  const run = history.runOf(command.lease.jobId, command.lease.token)
  history.check('no-word-from-the-dead', run?.notes.includes(command.note ?? '') === true, () => `nobody said ${command.note}`)
}

/** A job is about to be handed to a thread. */
export function judgeHandOver(world: World, owner: SimOwner, jobId: RunRecord['jobId'], token: number): void {
  const { history, rig } = world
  const other = history.live().find((run) => run.jobId === jobId)
  history.check(
    'one-live-attempt',
    other === undefined,
    () => `${jobId}/${token} starts on ${owner.id} while ${other?.owner} runs /${other?.token}`,
  )
  history.check('one-live-lease', history.runOf(jobId, token) === undefined, () => `${jobId}/${token} is started a second time`)
  const row = rig.row(jobId)
  history.check(
    'nothing-dispatched-before-commit',
    row?.state === 'running' && row.token === token && row.owner === owner.id,
    () => `${jobId}/${token} is started and the row says ${row?.state}, ${row?.token}, ${row?.owner}`,
  )
  const holding = history.runs.filter((run) => run.owner === owner.id && !run.freed && !run.condemned && run.exitedAt === null)
  history.check('limit-respected', holding.length < simConfig.threads, () => `${owner.id} starts more runs than it has threads`)
}
