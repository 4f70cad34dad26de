/**
 * A child process that carries a worker. It leads a process group of its own, so that SIGKILL reaches whatever its
 * handler started, and it dies with this process (`worker/parent-watch.ts`). It is over when it has exited *and* its
 * channel has closed, with everything that it had sent told before.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { ReeveError } from '../errors.ts'
import type { StopReason } from '../job/kind.ts'
import { siblingModule } from '../sibling-module.ts'
import type { Answered } from './asks.ts'
import type { Carrier, CarrierListener } from './carrier.ts'
import { killGroup } from './process-group.ts'
import type { Assignment, ChildMessage, ChildTask, HelloReply, HelloSettings } from './protocol.ts'

const childFile = fileURLToPath(siblingModule('./worker/child', import.meta.url))

/** Where the child finds the pipe that closes when this process dies: after stdio (0 to 2) and Node's channel (3). */
const parentPipeFd = 4

/** How a child process is started. */
export interface ChildOptions {
  readonly now: () => number
  /** The JavaScript heap of the child, in MiB; default Node's own. */
  readonly heapMb?: number
  readonly env?: NodeJS.ProcessEnv
}

/** One child process. It is made when this is. */
export class ChildCarrier implements Carrier {
  readonly up = true
  readonly pid: number | null
  readonly threadId: number
  readonly #child: ChildProcess
  readonly #now: () => number
  #listener: CarrierListener | null = null
  #reply: ((reply: HelloReply) => void) | null = null
  #started: { readonly run: number; readonly at: number } | null = null
  #connected = true
  #exit: { readonly code: number; readonly error: ReeveError | undefined } | null = null
  #told = false
  #killed = false

  constructor(options: ChildOptions) {
    this.#now = options.now
    this.#child = startChild(options)
    this.pid = this.#child.pid ?? null
    this.threadId = this.pid ?? 0
    this.#child.on('message', (message) => this.#hear(message as ChildMessage))
    this.#child.on('disconnect', () => {
      this.#connected = false
      this.#listener?.dying()
      this.#endWhenClosed()
      // Mostly it is dying, and its exit will say of what. But it may have closed the channel by itself and live on.
      if (this.#exit === null && this.pid !== null) killGroup(this.pid)
    })
    this.#child.on('exit', (code, signal) => this.#exited(code ?? 128 + (constants.signals[signal ?? 'SIGKILL'] ?? 0), signal))
    this.#child.on('error', (error) => this.#failed(error))
  }

  listen(listener: CarrierListener): void {
    this.#listener = listener
  }

  hello(settings: HelloSettings): Promise<HelloReply> {
    return new Promise((resolve) => {
      this.#reply = resolve
      this.#post({ ...settings, type: 'hello' })
    })
  }

  assign(assignment: Assignment): void {
    this.#started = null
    this.#post({ type: 'assignment', assignment })
  }

  startedAt(run: number): number | null {
    return this.#started?.run === run ? this.#started.at : null
  }

  /** By message only: code that never awaits does not see it. */
  requestStop(run: number, reason: StopReason): void {
    this.#post({ type: 'stop', run, reason })
  }

  answer(run: number, question: number, answer: Answered): void {
    this.#post({ type: 'answered', run, question, answer })
  }

  dismiss(): void {
    this.#killed = true
    this.#post({ type: 'leave' })
  }

  end(): void {
    this.#killed = true
    // After its exit the id may be a stranger's.
    if (this.pid !== null && this.#exit === null) killGroup(this.pid)
  }

  /** Its resident memory, as the system tells it; null on Windows. */
  async usedBytes(): Promise<number | null> {
    if (process.platform !== 'linux') return null
    try {
      const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${this.pid}/status`, 'latin1')) ?? []
      return kilobytes === undefined ? null : Number(kilobytes) * 1024
    } catch {
      return null // It has just exited.
    }
  }

  unref(): void {
    this.#child.unref()
    this.#child.channel?.unref()
  }

  #post(task: ChildTask): void {
    // Where the child is gone its exit says so.
    if (this.#connected) this.#child.send(task, () => undefined)
  }

  #hear(message: ChildMessage): void {
    switch (message.type) {
      case 'hello-reply':
        return this.#reply?.(message.reply)
      case 'started':
        this.#started = { run: message.run, at: this.#now() }
        return
      default:
        this.#listener?.message(message)
    }
  }

  #exited(code: number, signal: NodeJS.Signals | null): void {
    const { pid } = this
    // What it left of its group goes too. The system gives the id to nobody else while one of the group is left.
    if (pid !== null) killGroup(pid)
    const error =
      signal === null || this.#killed
        ? undefined
        : new ReeveError('REEVE_THREAD_EXITED', `The child process ${pid} of the handler was ended by ${signal}.`)
    this.#exit = { code, error }
    this.#listener?.dying()
    this.#endWhenClosed()
  }

  /** It could not be started at all: then no exit will come. */
  #failed(error: Error): void {
    if (this.#child.pid !== undefined) return
    this.#connected = false
    this.#exit = {
      code: 1,
      error: new ReeveError('REEVE_THREAD_EXITED', 'A child process could not be started.', { cause: error }),
    }
    this.#listener?.dying()
    this.#endWhenClosed()
  }

  #endWhenClosed(): void {
    if (this.#exit === null || this.#connected || this.#told) return
    this.#told = true
    this.#listener?.exited(this.#exit.code, this.#exit.error)
  }
}

function startChild({ heapMb, env }: ChildOptions): ChildProcess {
  // A debugger's port is one process's only.
  const inherited = process.execArgv.filter((argument) => !argument.startsWith('--inspect'))
  return fork(childFile, [String(parentPipeFd)], {
    serialization: 'advanced',
    detached: true,
    execArgv: heapMb === undefined ? inherited : [...inherited, `--max-old-space-size=${heapMb}`],
    // The last one is for `worker/parent-watch.ts`: nothing is written to it.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
    ...(env !== undefined && { env }),
  })
}
