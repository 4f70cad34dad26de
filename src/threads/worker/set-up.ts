/** What comes before the first handler of a kind with a `setup`, and after the last one. */
import type { WorkerResource } from '../../job/worker-resource.ts'
import { encodeError } from '../error-codec.ts'
import { conclude, type Desk, post } from './desk.ts'
import { LiveRun, runContext } from './live-run.ts'

/** Sees to it that the resource is there. False where it is not, and the run is over: it was turned away uncharged. */
export async function setUp(run: LiveRun, resource: WorkerResource, desk: Desk): Promise<boolean> {
  const refusal = desk.resources.refusal(resource)
  if (refusal !== null) {
    conclude(desk, run, { type: 'setup-failed', error: encodeError(refusal) })
    return false
  }
  const { assignment } = run
  post(desk, { type: 'setting-up', run: assignment.run })
  desk.settingUp = run
  // The resource outlives the run: what it does later is laid to a run that is over, and keeps no input alive.
  const maker = new LiveRun({ ...assignment, input: null }, desk.cells)
  maker.over = true
  const failure = await runContext.run(maker, () => desk.resources.make(resource, assignment.kind))
  desk.settingUp = null
  if (failure === null) return true
  const error = encodeError(failure.error)
  post(desk, { type: 'resource-failed', error })
  conclude(desk, run, { type: 'setup-failed', error }, failure.hung)
  if (failure.hung) process.exit(1)
  return false
}

/** Unmakes everything, and ends the worker. How long that may take is bounded from outside. */
export async function leave(desk: Desk): Promise<void> {
  await desk.resources.unmakeAll((error) => post(desk, { type: 'resource-failed', error: encodeError(error) }))
  process.exit(0)
}
