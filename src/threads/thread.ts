/**
 * One worker as the pool sees it, thread or child process: the run it has, and its end. It keeps the promise that all
 * others rest on: a run is over when its handler ended and the worker lives on, or when its carrier has *exited*, with
 * everything that it had sent told before.
 */
import { ReeveError } from '../errors.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import type { StopReason } from '../job/kind.ts'
import type { Carrier } from './carrier.ts'
import { encodeError } from './error-codec.ts'
import type { Assignment, HandlerOutcome, HelloReply, HelloSettings, WorkerMessage } from './protocol.ts'
import type { RunListener } from './thread-pool.ts'
import { type RunHolder, type SpawnOwner, ThreadRun } from './thread-run.ts'

/** Which job a fault is laid to. */
export interface JobName {
  readonly id: string
  readonly kind: string
}

/** What a thread needs from its pool, and what it tells it. */
export interface ThreadOwner {
  /** Who keeps and ends the programs that handlers start. */
  readonly spawns: SpawnOwner
  /** Monotonic milliseconds. */
  now(): number
  /** What an `error` of the carrier was, in words that help. */
  deathOf(error: unknown): ErrorRecord
  /** A run is over and the thread can take the next one. */
  free(thread: Thread): void
  /** The thread is dying: nothing may be handed to it from now on. May come more than once. */
  leaving(thread: Thread): void
  /** The thread was told to die, has not, and is given up. */
  condemned(thread: Thread): void
  /** The thread was told to unmake what it has and to end itself. */
  dismissed(thread: Thread): void
  /** The `setup` or `teardown` of a kind failed. */
  resourceFailed(error: ErrorRecord): void
  /** A job that was over threw, or (null) the jobs module itself; the thread is dying of it. */
  lateFault(job: JobName | null, error: ErrorRecord, thread: Thread): void
  /** It has exited and told all. */
  ended(thread: Thread): void
}

/** A worker that was opened. */
export class Thread implements RunHolder {
  readonly carrier: Carrier
  /** Which loading of the jobs it belongs to: the pool's own number, which grows with each reload. */
  readonly generation: number
  readonly #owner: ThreadOwner
  /** Rejects the hello of a thread that dies on the way. */
  readonly #gone = Promise.withResolvers<never>()
  #run: ThreadRun | null = null
  #runs = 0
  /** The job that the thread had last, or has, and the one before it. */
  #latest: JobName | null = null
  #previous: JobName | null = null
  #dying = false
  #condemned = false
  #retired = false
  #killed = false
  #loading: string | null = null
  #fileLoading: () => void = () => undefined
  #faultTold = false
  /** Whether it may have made something that wants to be unmade. */
  #hasResources = false
  #exitCode: number | null = null
  #error: unknown

  constructor(carrier: Carrier, owner: ThreadOwner, generation: number) {
    this.carrier = carrier
    this.generation = generation
    this.#owner = owner
    this.#gone.promise.catch(() => undefined)
    carrier.listen({
      message: (message) => this.#hear(message),
      dying: () => this.leave(),
      broken: (error) => this.failWith(error),
      exited: (exitCode, error) => this.#exited(exitCode, error),
    })
  }

  /**
   * Makes the thread load the jobs. `loading` hears of each file of a folder just before it is imported. Rejects where the
   * thread dies on the way.
   */
  async hello(settings: HelloSettings, loading: () => void): Promise<HelloReply> {
    this.#fileLoading = loading
    const reply = await Promise.race([this.carrier.hello(settings), this.#gone.promise])
    this.#loading = null
    return reply
  }

  /** Hands an attempt to the thread. */
  start(assignment: Omit<Assignment, 'run'>, listener: RunListener): ThreadRun {
    const run = new ThreadRun(this, ++this.#runs, this.#owner.now(), listener)
    this.#run = run
    this.#previous = this.#latest
    this.#latest = { id: assignment.jobId, kind: assignment.kind }
    this.carrier.assign({ ...assignment, run: run.number })
    return run
  }

  /** When the handler of a run started; null before, and once the run is over. */
  startedAt(run: ThreadRun): number | null {
    return this.#run === run ? this.carrier.startedAt(run.number) : null
  }

  /** Asks the handler of a run to stop. */
  requestStop(run: ThreadRun, reason: StopReason): void {
    if (this.#run !== run || run.stopRequested) return
    run.stopRequested = true
    this.carrier.requestStop(run.number, reason)
  }

  /** Ends the thread if the run still holds it: a late call must not meet the next run. */
  terminate(run: ThreadRun): void {
    if (this.#run === run) this.kill()
  }

  /** Gives the thread up if the run still holds it, so that another one can be opened in its place. */
  condemn(run: ThreadRun): void {
    if (this.#run !== run || this.#condemned) return
    this.kill()
    this.#condemned = true
    this.#owner.condemned(this)
  }

  /** Ends the thread, and with it the run that it has. */
  kill(): void {
    if (this.#run !== null) this.#run.terminated = true
    this.#end()
  }

  /** Ends the thread, which has no run: it is needed no more, and from here on takes no other thread's place. */
  retire(): void {
    this.#retired = true
    this.dismiss()
  }

  /** Ends the thread. Where it is idle and has something to unmake, it is let do that first, for a bounded time. */
  dismiss(): void {
    if (!this.#hasResources || this.#run !== null || this.#dying) return this.kill()
    this.#killed = true
    this.leave()
    this.carrier.dismiss()
    this.#owner.dismissed(this)
  }

  /** Something ended the thread that its run is to be charged with: a memory limit, a word that was lost. */
  failWith(error: unknown): void {
    if (this.#dying) return
    this.#error = error
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

  /** Whether it has a run. */
  get busy(): boolean {
    return this.#run !== null
  }

  /** Whether it takes one of the places of its pool: it does until it has exited, was given up, or was sent away idle. */
  get takesPlace(): boolean {
    return !this.#condemned && !this.#retired
  }

  /** The file of a folder of jobs that it was importing when it was last heard of; null once it has loaded all. */
  get loading(): string | null {
    return this.#loading
  }

  /** Whether it was told to die. */
  get killed(): boolean {
    return this.#killed
  }

  /** Whether it was given up and has not exited yet. */
  get condemned(): boolean {
    return this.#condemned
  }

  /** Whether it died by itself before it was given any job, and nobody has been told why. */
  get diedUnused(): boolean {
    return this.#runs === 0 && !this.#killed && !this.#faultTold
  }

  /** How it ended, where no handler was at work that could be charged with it. */
  describeEnd(when: string): ErrorRecord {
    const what = this.carrier.pid === null ? 'worker thread' : 'child process'
    const message = `A ${what} ended with exit code ${this.#exitCode ?? 'unknown'} ${when}. Something there may have called process.exit.`
    return this.#death ?? encodeError(new ReeveError('REEVE_THREAD_EXITED', message))
  }

  get #death(): ErrorRecord | null {
    return this.#error === undefined ? null : this.#owner.deathOf(this.#error)
  }

  #end(): void {
    this.#killed = true
    this.leave()
    // At once: a handler in native code may be waiting for just these, and its thread cannot exit before.
    this.#run?.killSpawned(this.#owner.spawns)
    this.carrier.end()
  }

  #hear(message: WorkerMessage): void {
    if (message.type === 'loading') {
      this.#loading = message.file
      return this.#fileLoading()
    }
    if (message.type === 'late-fault') {
      this.#faultTold = true
      this.leave()
      this.#owner.lateFault(message.job, message.error, this)
      return
    }
    if (message.type === 'resource-failed') return this.#owner.resourceFailed(message.error)
    const run = this.#run
    if (run === null || run.number !== message.run) {
      if (message.type === 'spawned') this.#owner.spawns.spawnedEnded(message.pid, 'kill')
      return
    }
    if (message.type === 'spawned') return run.spawned(message.pid, this.#owner.spawns, this.#dying)
    if (message.type === 'spawned-ended') return run.spawnedEnded(message.pid, this.#owner.spawns)
    if (message.type === 'setting-up') {
      this.#hasResources = true
      run.settingUp = true
      return
    }
    if (run.outcomeTold || message.type === 'started') return
    if (message.type !== 'outcome') return run.say(message)
    if (message.isLeaving) this.leave()
    run.outcomeTold = true
    if (this.#dying)
      run.listener.outcome(message.outcome) // On a dying thread only the exit ends the run.
    else this.#done(run, message.outcome)
  }

  /** The thread is offered first: it waits for its next run, and what became of this one is for the turn's commit. */
  #done(run: ThreadRun, outcome: HandlerOutcome): void {
    run.startedAt() // Kept from here on: the next run stamps the cells anew.
    this.#run = null
    run.killSpawned(this.#owner.spawns)
    this.#owner.free(this)
    run.listener.outcome(outcome)
    run.listener.over({ type: 'done' })
  }

  #exited(exitCode: number, error: unknown): void {
    this.#exitCode = exitCode
    this.#error ??= error
    this.leave()
    this.#gone.reject(new Error('The thread is gone.'))
    const run = this.#run
    const atWork = run !== null && (run.startedAt() !== null || run.outcomeTold)
    if (!atWork && run?.settingUp === true) this.#blameSetup(run)
    else if (!atWork && !this.#killed) this.#blamePredecessor(run)
    this.#run = null
    run?.killSpawned(this.#owner.spawns)
    run?.listener.over({ type: 'exited', exitCode, error: this.#death, terminated: run.terminated })
    this.#owner.ended(this)
  }

  /** It died, or was ended, while it made the resource of a kind: the job that waited for it is put back. */
  #blameSetup(run: ThreadRun): void {
    const kind = this.#latest?.kind ?? ''
    const ended = this.#killed ? 'A worker was ended' : this.describeEnd('').message
    const message = `${ended} while the setup of kind '${kind}' ran there. Look for an endless loop in it, or raise loadTimeout.`
    const error = encodeError(new ReeveError('REEVE_SETUP_FAILED', message, { kind }))
    if (!run.stopRequested) this.#owner.resourceFailed(error)
    run.listener.outcome({ type: 'setup-failed', error })
  }

  /**
   * The thread died by itself while no handler was at work: of the job before (a timer that called `process.exit`, a
   * leak). A run that was on its way to it is a bystander, but not where the heap ran full: its own input may do that.
   */
  #blamePredecessor(run: ThreadRun | null): void {
    const culprit = run === null ? this.#latest : this.#previous
    if (culprit !== null && !this.#faultTold) {
      this.#owner.lateFault(culprit, this.describeEnd(`after job ${culprit.id} (${culprit.kind}) was over`), this)
    }
    if (run !== null && this.#death === null) {
      run.listener.outcome({ type: 'bystander', error: this.describeEnd('before the handler started') })
    }
  }
}
