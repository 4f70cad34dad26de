/**
 * One worker thread as the pool sees it: its port and cells, the run it has, and its end. It keeps the promise that
 * all others rest on: a run is over when its handler ended *and* piscina has the thread back, or when the thread has
 * exited *and* its port has closed, with everything that it had sent told before.
 */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import { ReeveError } from '../errors.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import type { StopReason } from '../job/kind.ts'
import { Cells } from './cells.ts'
import { encodeError } from './error-codec.ts'
import type { Assignment, HelloReply, HelloTask, WorkerMessage, WorkerTask } from './protocol.ts'
import { deathOf, type ResourceLimits } from './resource-limits.ts'
import type { Run, RunListener } from './thread-pool.ts'

/** Which job a fault is laid to. */
export interface JobName {
  readonly id: string
  readonly kind: string
}

/** What a thread needs from its pool, and what it tells it. */
export interface ThreadOwner {
  readonly resourceLimits: ResourceLimits | undefined
  /** Hands a task to this thread and no other; settles as piscina's `run`. */
  send(thread: Thread, task: WorkerTask, transfer?: MessagePort[]): Promise<unknown>
  /** A run is over and the thread can take the next one. */
  free(thread: Thread): void
  /** The thread is dying: nothing may be handed to it from now on. May come more than once. */
  leaving(thread: Thread): void
  /** A job that was over threw, or (null) the jobs module itself; the thread is dying of it. */
  lateFault(job: JobName | null, error: ErrorRecord): void
  /** The thread has exited and its port has closed. */
  ended(thread: Thread): void
}

/** A thread that piscina has opened. */
export class Thread {
  readonly id: number
  readonly worker: Worker
  readonly #owner: ThreadOwner
  readonly #cells = new Cells()
  #port: MessagePort | null = null
  #run: ThreadRun | null = null
  #runs = 0
  /** The job that the thread had last, or has, and the one before it. */
  #latest: JobName | null = null
  #previous: JobName | null = null
  #dying = false
  #killed = false
  #faultTold = false
  #exitCode: number | null = null
  #error: unknown

  constructor(worker: Worker, owner: ThreadOwner) {
    this.id = worker.threadId
    this.worker = worker
    this.#owner = owner
    // Out of memory and the like: `error` comes first, but only `exit` proves that the thread is gone.
    worker.on('error', (error) => {
      this.#error = error
      this.leave()
    })
    worker.on('exit', (code) => {
      this.#exitCode = code
      this.leave()
      this.#endWhenClosed()
    })
  }

  /** Gives the thread its port and makes it load the jobs module. Rejects where the thread dies on the way. */
  async hello(task: Omit<HelloTask, 'type' | 'port' | 'cells'>): Promise<HelloReply> {
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.on('message', (message: WorkerMessage) => this.#hear(message))
    // A message that cannot be read may have been the outcome, and then the run would never be over.
    port1.on('messageerror', (error) => this.#fail(error))
    port1.on('close', () => {
      this.#port = null
      this.#endWhenClosed()
    })
    return (await this.#owner.send(this, { ...task, type: 'hello', port: port2, cells: this.#cells.buffer }, [
      port2,
    ])) as HelloReply
  }

  /** Hands an attempt to the thread. */
  start(assignment: Omit<Assignment, 'run'>, listener: RunListener): Run {
    const run = new ThreadRun(this, ++this.#runs, listener)
    this.#run = run
    this.#previous = this.#latest
    this.#latest = { id: assignment.jobId, kind: assignment.kind }
    this.#owner.send(this, { type: 'shift', assignments: [{ ...assignment, run: run.number }] }).then(
      () => {
        run.takenBack = true
        this.#doneWhenBoth(run)
      },
      (error) => this.#fail(error),
    )
    return run
  }

  /** When the handler of a run started; null before, and once the run is over. */
  startedAt(run: ThreadRun): number | null {
    return this.#run === run ? this.#cells.startedAt(run.number) : null
  }

  /** Asks the handler of a run to stop, by cell for code that never awaits and by message for the rest. */
  requestStop(run: ThreadRun, reason: StopReason): void {
    if (this.#run !== run || run.stopRequested) return
    run.stopRequested = true
    this.#cells.requestStop(run.number, reason)
    this.#port?.postMessage({ type: 'stop', run: run.number, reason })
  }

  /** Ends the thread if the run still holds it: a late call must not meet the next run. */
  terminate(run: ThreadRun): void {
    if (this.#run === run) this.kill()
  }

  /** Ends the thread, and with it the run that it has. */
  kill(): void {
    if (this.#run !== null) this.#run.terminated = true
    this.#end()
  }

  /** Marks the thread as dying. */
  leave(): void {
    this.#dying = true
    this.#owner.leaving(this)
  }

  /** Whether nothing may be handed to it any more. */
  get dying(): boolean {
    return this.#dying
  }

  /** Whether it died by itself before it was given any job, and nobody has been told why. */
  get diedUnused(): boolean {
    return this.#runs === 0 && !this.#killed && !this.#faultTold
  }

  /** How it ended, where no handler was at work that could be charged with it. */
  describeEnd(when: string): ErrorRecord {
    const message = `A worker thread ended with exit code ${this.#exitCode ?? 'unknown'} ${when}. Something there may have called process.exit.`
    return this.#death ?? encodeError(new ReeveError('REEVE_THREAD_EXITED', message))
  }

  get #death(): ErrorRecord | null {
    return this.#error === undefined ? null : deathOf(this.#error, this.#owner.resourceLimits)
  }

  /** Something failed that leaves a run without an end: only the thread's exit can give it one. */
  #fail(error: unknown): void {
    if (this.#dying) return
    this.#error = error
    this.#end()
  }

  /** By the thread's own `terminate`, so that its slot in piscina stays taken until it has exited. */
  #end(): void {
    this.#killed = true
    this.leave()
    void this.worker.terminate()
  }

  #hear(message: WorkerMessage): void {
    if (message.type === 'late-fault') {
      this.#faultTold = true
      this.leave()
      this.#owner.lateFault(message.job, message.error)
      return
    }
    const run = this.#run
    if (run === null || run.number !== message.run || run.outcomeTold) return
    if (message.type === 'progress') return run.listener.progress(message.fraction, message.note)
    if (message.type === 'log') return run.listener.log(message.record)
    run.outcomeTold = true
    run.listener.outcome(message.outcome)
    this.#doneWhenBoth(run)
  }

  /** The outcome and piscina's answer come by two ports, in any order. On a dying thread only the exit counts. */
  #doneWhenBoth(run: ThreadRun): void {
    if (!run.outcomeTold || !run.takenBack || this.#dying || this.#run !== run) return
    this.#run = null
    run.listener.over({ type: 'done' })
    this.#owner.free(this)
  }

  #endWhenClosed(): void {
    if (this.#exitCode === null || this.#port !== null) return
    const run = this.#run
    const atWork = run !== null && (run.outcomeTold || this.startedAt(run) !== null)
    if (!atWork && !this.#killed) this.#blamePredecessor(run)
    this.#run = null
    run?.listener.over({ type: 'exited', exitCode: this.#exitCode, error: this.#death, terminated: run.terminated })
    this.#owner.ended(this)
  }

  /**
   * The thread died by itself while no handler was at work: of the job before (a timer that called `process.exit`, a
   * leak). A run that was on its way to it is a bystander, but not where the heap ran full: its own input may do that.
   */
  #blamePredecessor(run: ThreadRun | null): void {
    const culprit = run === null ? this.#latest : this.#previous
    if (culprit !== null && !this.#faultTold) {
      this.#owner.lateFault(culprit, this.describeEnd(`after job ${culprit.id} (${culprit.kind}) was over`))
    }
    if (run !== null && this.#death === null) {
      run.listener.outcome({ type: 'bystander', error: this.describeEnd('before the handler started') })
    }
  }
}

/** A run that a thread holds. All decisions are the thread's. */
class ThreadRun implements Run {
  readonly number: number
  readonly listener: RunListener
  readonly threadId: number
  outcomeTold = false
  takenBack = false
  stopRequested = false
  terminated = false
  readonly #thread: Thread

  constructor(thread: Thread, number: number, listener: RunListener) {
    this.number = number
    this.listener = listener
    this.threadId = thread.id
    this.#thread = thread
  }

  startedAt(): number | null {
    return this.#thread.startedAt(this)
  }

  requestStop(reason: StopReason): void {
    this.#thread.requestStop(this, reason)
  }

  terminate(): void {
    this.#thread.terminate(this)
  }
}
