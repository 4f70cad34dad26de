/**
 * The envelope on a thread: the file that piscina loads on every worker thread. It imports nothing of the user's, so it
 * cannot fail to load; the first task makes it load the jobs module, the second one is its whole working life: attempts
 * come by its port. No fault of a handler reaches piscina.
 */
import { Cells } from '../cells.ts'
import type { HelloReply, HelloTask, SupervisorWord, WorkerTask } from '../protocol.ts'
import type { Desk } from './desk.ts'
import { hear } from './hear.ts'
import { hello } from './hello.ts'

/** The shift ends with the thread. */
const endlessShift = new Promise<undefined>(() => undefined)

/** What piscina calls with each task of this thread. */
export function handleTask(task: WorkerTask): Promise<HelloReply | undefined> {
  return task.type === 'hello' ? greet(task) : endlessShift
}

async function greet({ port, cells, ...settings }: HelloTask): Promise<HelloReply> {
  let desk: Desk | null = null
  port.on('message', (word: SupervisorWord) => {
    if (desk !== null) hear(desk, word)
  })
  const line = { post: (message: unknown) => port.postMessage(message), cells: new Cells(cells), cellsAreShared: true }
  const greeted = await hello(settings, line)
  if (greeted.reply.ok) desk = greeted.desk
  return greeted.reply
}
