/** Brings all invariants to the places of a run at which they are judged. */
import type { JobId } from '../../../src/job/lease.ts'
import { isTerminal } from '../../../src/job/state.ts'
import type { CancelAnswer } from '../../../src/persistence/commands/cancel.ts'
import type { SupervisorMessage } from '../../../src/supervisor/messages.ts'
import type { SimOwner } from '../../support/sim/sim-owner.ts'
import type { Committed, Judge, World } from '../../support/sim/world.ts'
import { judgeHandOver, judgeProgress, judgeSettle } from './invariants/attempts.ts'
import { judgeCommit, Ledger } from './invariants/edges.ts'

/** Judges one run of the simulation. */
export class Invariants implements Judge {
  readonly #ledger = new Ledger()

  committed(world: World, commit: Committed): void {
    const { history, rig } = world
    for (const settled of judgeCommit(world, this.#ledger, commit)) judgeSettle(history, settled)
    commit.commands.forEach((command, index) => {
      judgeProgress(history, command)
      const answer = commit.answers[index]
      if (command.type === 'cancel' && answer?.type === 'cancel-requested' && !world.cancelRequestedAt.has(command.jobId))
        world.cancelRequestedAt.set(command.jobId, world.time.mono)
    })
    for (const { name, violators } of rig.violators()) history.check(name, violators.length === 0, () => String(violators))
    for (const id of history.acknowledged)
      history.check('conservation', commit.after.has(id), () => `${id} was acknowledged and is lost`)
    for (const id of commit.after.keys()) history.check('conservation', history.asked.has(id), () => `nobody asked for ${id}`)
  }

  handed(world: World, owner: SimOwner, jobId: JobId, token: number): void {
    judgeHandOver(world, owner, jobId, token)
  }

  acknowledged({ history, rig }: World, jobId: JobId): void {
    history.check('conservation', rig.row(jobId) !== undefined, () => `${jobId} was acknowledged and is not there`)
  }

  told({ history, rig }: World, message: SupervisorMessage): void {
    if (message.type !== 'ended') return
    for (const { jobId, state } of message.ends)
      history.check(
        'nothing-dispatched-before-commit',
        rig.row(jobId)?.state === state,
        () => `${jobId} was told to be ${state} and is not`,
      )
  }

  cancelAnswered({ history, rig }: World, jobId: JobId, answer: CancelAnswer): void {
    const state = rig.row(jobId)?.state
    if (answer.type === 'cancelled')
      history.check('cancel-running-decides-once', state === 'cancelled', () => `${jobId} was cancelled and is ${state}`)
    if (answer.type === 'already-over')
      history.check(
        'cancel-running-decides-once',
        state === answer.state && isTerminal(answer.state),
        () => `${jobId} was over and is ${state}`,
      )
  }

  drained({ history, rig }: World, owner: SimOwner): void {
    // A drain whose time is up leaves threads that cannot be ended, and what they run, behind.
    const condemned = (id: JobId, token: number) => history.runOf(id, token)?.condemned === true
    const left = [...rig.snapshot().values()].filter((row) => row.owner === owner.id && !condemned(row.id, row.token))
    history.check('drain-keeps', left.length === 0, () => `${owner.id} is drained and holds ${left.map(({ id }) => id)}`)
    const busy = history.runs.filter((run) => run.owner === owner.id && !run.freed && !run.condemned)
    history.check(
      'drain-keeps',
      busy.length === 0,
      () => `${owner.id} is drained and a thread has ${busy.map(({ jobId }) => jobId)}`,
    )
  }
}
