/**
 * The envelope in a child process: what `main.ts` is on a thread, over the channel to its parent. The process ends with
 * its parent, whatever its handler does: `parent-watch.ts` sees to that from a thread of its own.
 */
import { Worker } from 'node:worker_threads'
import { siblingModule } from '../../sibling-module.ts'
import { Cells } from '../cells.ts'
import type { ChildMessage, ChildTask } from '../protocol.ts'
import type { Desk, Line } from './desk.ts'
import { hear } from './hear.ts'
import { hello } from './hello.ts'

const cells = new Cells()
let desk: Desk | null = null

// Its heap is kept small: all that it does is to wait.
const watch = new Worker(siblingModule('./parent-watch', import.meta.url), {
  resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
  execArgv: [],
  env: {},
  workerData: Number(process.argv[2]),
})
watch.unref()

const line: Line = {
  post(message) {
    // The watch must know too: it outlives a handler that blocks this thread.
    if (message.type === 'spawned' || message.type === 'spawned-ended') watch.postMessage(message)
    send(message)
  },
  cells,
  cellsAreShared: false,
}

process.on('message', (task: ChildTask) => void take(task))
process.on('disconnect', () => process.exit(1))

async function take(task: ChildTask): Promise<void> {
  if (task.type === 'hello') {
    const greeted = await hello(task, line)
    if (greeted.reply.ok) desk = greeted.desk
    return send({ type: 'hello-reply', reply: greeted.reply })
  }
  if (task.type === 'stop') cells.requestStop(task.run, task.reason)
  if (desk !== null) hear(desk, task)
}

/** Nothing is to be done where the parent is gone: so is this process, in a moment. */
function send(message: ChildMessage): void {
  process.send?.(message, undefined, undefined, () => undefined)
}
