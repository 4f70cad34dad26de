/**
 * Errors that nobody awaited: thrown by a timer, an emitter, a forgotten promise. After one of them the thread is not
 * to be trusted, so it ends, and the job that caused it is told apart from the job that happens to be running.
 */
import { ReeveError } from '../../errors.ts'
import type { ErrorRecord } from '../../job/error-record.ts'
import { encodeError } from '../error-codec.ts'
import { conclude, type Desk, post } from './desk.ts'
import { type LiveRun, runContext } from './live-run.ts'

/** From here on every uncaught error of this thread is charged and ends the thread. */
export function watchFaults(desk: Desk): void {
  const charge = (thrown: unknown) => {
    try {
      // Where the context is lost (an emitter that the module made) the run at work, else the latest, is the likeliest.
      chargeTo(runContext.getStore() ?? desk.latest, thrown, desk)
    } finally {
      process.exit(1)
    }
  }
  process.on('uncaughtException', charge)
  process.on('unhandledRejection', charge)
}

function chargeTo(culprit: LiveRun | null, thrown: unknown, desk: Desk): void {
  if (desk.settingUp !== null) return chargeSetup(desk.settingUp, thrown, desk)
  const error = uncaught(culprit, thrown)
  if (culprit !== null && !culprit.over) return conclude(desk, culprit, { type: 'threw', error }, true)
  post(desk, { type: 'late-fault', job: culprit && { id: culprit.assignment.jobId, kind: culprit.assignment.kind }, error })
  if (desk.active !== null) conclude(desk, desk.active, { type: 'bystander', error: bystander(culprit, error) }, true)
}

/** Nothing else is at work on this thread while a kind is set up. */
function chargeSetup(run: LiveRun, thrown: unknown, desk: Desk): void {
  const { kind } = run.assignment
  const message = `The setup of kind '${kind}' threw in a callback that nobody awaited: ${encodeError(thrown).message}`
  const error = encodeError(new ReeveError('REEVE_SETUP_FAILED', message, { kind, cause: thrown ?? null }))
  post(desk, { type: 'resource-failed', error })
  conclude(desk, run, { type: 'setup-failed', error }, true)
}

function uncaught(culprit: LiveRun | null, thrown: unknown): ErrorRecord {
  const { message } = encodeError(thrown)
  if (culprit === null)
    return encodeError(
      new ReeveError('REEVE_JOBS_UNLOADABLE', `The jobs module threw in a callback that nobody awaited: ${message}`, {
        cause: thrown ?? null,
      }),
    )
  const { jobId, kind, attempt } = culprit.assignment
  return encodeError(
    new ReeveError('REEVE_HANDLER_UNCAUGHT', `The handler of '${kind}' threw in a callback that nobody awaited: ${message}`, {
      jobId,
      kind,
      attempt,
      cause: thrown ?? null,
    }),
  )
}

function bystander(culprit: LiveRun | null, error: ErrorRecord): ErrorRecord {
  const whose = culprit === null ? 'the jobs module' : `job ${culprit.assignment.jobId} (${culprit.assignment.kind})`
  return encodeError(new ReeveError('REEVE_THREAD_EXITED', `The thread was ended by an error of ${whose}: ${error.message}`))
}
