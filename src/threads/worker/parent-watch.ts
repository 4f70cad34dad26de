/**
 * A thread of each child process. The parent holds the other end of a pipe; when it closes, the parent is dead, and this
 * thread ends the whole process group by SIGKILL, even while the handler's thread spins or waits in native code.
 * Processes of `ctx.spawn` lead groups of their own, so they are ended by name.
 */
import { Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import type { WorkerMessage } from '../protocol.ts'

const spawned = new Set<number>()

parentPort?.on('message', (message: WorkerMessage) => {
  if (message.type === 'spawned') spawned.add(message.pid)
  if (message.type === 'spawned-ended') spawned.delete(message.pid)
})

const pipe = new Socket({ fd: workerData as number, readable: true, writable: false })
pipe.on('error', () => undefined)
pipe.on('close', endAll)
pipe.resume()

function endAll(): void {
  // Ourselves last.
  for (const pid of [...spawned, process.pid]) {
    try {
      process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
    } catch {
      // Gone already.
    }
  }
}
