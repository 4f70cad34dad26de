/**
 * The envelope on a thread: the file that piscina loads on every worker thread. It imports nothing of the user's, so it
 * cannot fail to load; the first task makes it load the jobs module, every later one runs handlers. No fault of a
 * handler reaches piscina: a task always resolves.
 */
import { Cells } from '../cells.ts'
import type { HelloReply, HelloTask, ShiftTask, StopMessage, WorkerTask } from '../protocol.ts'
import { type Desk, hearStop } from './desk.ts'
import { execute } from './execute.ts'
import { hello } from './hello.ts'

let desk: Desk | null = null

/** What piscina calls with each task of this thread. */
export function handleTask(task: WorkerTask): Promise<HelloReply | undefined> {
  return task.type === 'hello' ? greet(task) : work(task)
}

async function greet({ port, cells, ...settings }: HelloTask): Promise<HelloReply> {
  port.on('message', (message: StopMessage) => {
    if (desk !== null) hearStop(desk, message)
  })
  const line = { post: (message: unknown) => port.postMessage(message), cells: new Cells(cells), cellsAreShared: true }
  const greeted = await hello(settings, line)
  if (greeted.reply.ok) desk = greeted.desk
  return greeted.reply
}

async function work(shift: ShiftTask): Promise<undefined> {
  if (desk === null) throw new Error('A shift came before the hello.')
  for (const assignment of shift.assignments) await execute(assignment, desk)
}
