/**
 * The envelope: the file that piscina loads on every worker thread. It imports nothing of the user's, so it cannot
 * fail to load; the first task makes it load the jobs module, every later one runs handlers. No fault of a handler
 * reaches piscina: a task always resolves.
 */
import { encodeError } from '../error-codec.ts'
import type { HelloReply, HelloTask, ShiftTask, WorkerTask } from '../protocol.ts'
import { type Desk, openDesk } from './desk.ts'
import { execute } from './execute.ts'
import { watchFaults } from './faults.ts'
import { catalogOf, loadJobs } from './load-jobs.ts'
import { giveWay } from './priority.ts'

let desk: Desk | null = null

/** What piscina calls with each task of this thread. */
export function handleTask(task: WorkerTask): Promise<HelloReply | undefined> {
  return task.type === 'hello' ? hello(task) : work(task)
}

async function hello(task: HelloTask): Promise<HelloReply> {
  // Before the user's module runs, so that its own stray errors find a handler.
  const opened = openDesk(task)
  watchFaults(opened)
  giveWay(task.niceness)
  try {
    const jobs = await loadJobs(task.jobsUrl)
    opened.kinds = jobs.kinds
    desk = opened
    return { ok: true, catalog: catalogOf(jobs) }
  } catch (error) {
    return { ok: false, error: encodeError(error) }
  }
}

async function work(shift: ShiftTask): Promise<undefined> {
  if (desk === null) throw new Error('A shift came before the hello.')
  for (const assignment of shift.assignments) await execute(assignment, desk)
}
