/** `ctx.spawn`: processes that are tied to the attempt that started them. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { ReeveError } from '../../errors.ts'
import { type Desk, post } from './desk.ts'
import type { LiveRun } from './live-run.ts'

/**
 * Starts a process in a group of its own and tells the supervisor before the handler has it: the supervisor ends the
 * group when the attempt is over, because this thread may be gone by then.
 */
export function spawnFor(
  run: LiveRun,
  desk: Desk,
  command: string,
  args: readonly string[] = [],
  options: SpawnOptions = {},
): ChildProcess {
  const { jobId, kind, attempt, run: number } = run.assignment
  if (run.over)
    throw new ReeveError(
      'REEVE_ATTEMPT_STOPPED',
      `Attempt ${attempt} of job ${jobId} (${kind}) is over: it can start no process.`,
      {
        jobId,
        kind,
        attempt,
      },
    )
  const child = spawn(command, args, { ...options, detached: true })
  const { pid } = child
  if (pid !== undefined) {
    post(desk, { type: 'spawned', run: number, pid })
    child.once('exit', () => post(desk, { type: 'spawned-ended', run: number, pid }))
  }
  return child
}
