/** A run that a thread holds. All decisions are the thread's; the run remembers what was said of it. */
import type { StopReason } from '../job/kind.ts'
import type { Answered } from './asks.ts'
import type { Carrier } from './carrier.ts'
import type { WorkerMessage } from './protocol.ts'
import type { Run, RunListener } from './thread-pool.ts'

/** What a handler says before its outcome. */
type HandlerWord = Extract<WorkerMessage, { readonly type: 'progress' | 'log' | 'timing' | 'ask' }>

/** Who is told of the processes that a handler starts. */
export interface SpawnOwner {
  /** A process was started; it leads a process group of its own. */
  spawned(pid: number): void
  /** It has ended by itself, or (`kill`) it is to be killed now, with its group. */
  spawnedEnded(pid: number, how: 'ended' | 'kill'): void
}

/** The thread of a run. A call for a run that it holds no longer does nothing. */
export interface RunHolder {
  readonly carrier: Pick<Carrier, 'threadId' | 'pid' | 'answer'>
  startedAt(run: ThreadRun): number | null
  requestStop(run: ThreadRun, reason: StopReason): void
  terminate(run: ThreadRun): void
  condemn(run: ThreadRun): void
}

/** One run on one thread. */
export class ThreadRun implements Run {
  readonly number: number
  readonly listener: RunListener
  readonly threadId: number
  readonly pid: number | null
  outcomeTold = false
  stopRequested = false
  terminated = false
  /** Its worker makes the resource of its kind first. */
  settingUp = false
  readonly #thread: RunHolder
  readonly #handedAt: number
  #startedAt: number | null = null
  /** Processes of `ctx.spawn` that may live. */
  readonly #spawned = new Set<number>()

  constructor(thread: RunHolder, number: number, handedAt: number, listener: RunListener) {
    this.number = number
    this.listener = listener
    this.threadId = thread.carrier.threadId
    this.pid = thread.carrier.pid
    this.#thread = thread
    this.#handedAt = handedAt
  }

  handedAt(): number {
    return this.#handedAt
  }

  /** Kept once it was seen: what ended the run may be told when its thread holds it no longer. */
  startedAt(): number | null {
    this.#startedAt ??= this.#thread.startedAt(this)
    return this.#startedAt
  }

  requestStop(reason: StopReason): void {
    this.#thread.requestStop(this, reason)
  }

  /** Also once the run is over: its code may have left a promise behind. */
  answer(question: number, answer: Answered): void {
    this.#thread.carrier.answer(this.number, question, answer)
  }

  terminate(): void {
    this.#thread.terminate(this)
  }

  condemn(): void {
    this.#thread.condemn(this)
  }

  /** Passes on what its handler says while it is at work. */
  say(message: HandlerWord): void {
    if (message.type === 'progress') this.listener.progress(message.fraction, message.note)
    else if (message.type === 'log') this.listener.log(message.record)
    else if (message.type === 'timing') this.listener.timing(message.word)
    else this.listener.ask(message.question, message.request)
  }

  /** A process was started; where the run's thread is dying already, it goes at once. */
  spawned(pid: number, owner: SpawnOwner, dying: boolean): void {
    this.#spawned.add(pid)
    owner.spawned(pid)
    if (dying) this.killSpawned(owner)
  }

  /** A process has ended by itself. */
  spawnedEnded(pid: number, owner: SpawnOwner): void {
    if (this.#spawned.delete(pid)) owner.spawnedEnded(pid, 'ended')
  }

  /** The attempt is over, or is to be: so are the processes that it started. */
  killSpawned(owner: SpawnOwner): void {
    for (const pid of this.#spawned) owner.spawnedEnded(pid, 'kill')
    this.#spawned.clear()
  }
}
