/** A run of a lane: first it may wait for a thread, then it is the run on that thread. */
import type { ErrorRecord } from '../job/error-record.ts'
import type { StopReason } from '../job/kind.ts'
import type { TimingWord } from '../job/timing.ts'
import type { Answered, AskRequest } from './asks.ts'
import type { Assignment, HandlerOutcome, LogRecord } from './protocol.ts'
import type { Run, RunEnd, RunListener, ThreadPool } from './thread-pool.ts'

/** What a run tells its lane. */
export interface LaneRunOwner {
  /** The lane has room for another run: this one is over, or its thread was given up. Once a run. */
  freed(how: 'over' | 'condemned'): void
  /** It was told to end while it waited. */
  withdrawn(run: LaneRun): void
}

/** One run. */
export class LaneRun implements Run, RunListener {
  readonly #assignment: Omit<Assignment, 'run'>
  readonly #listener: RunListener
  readonly #owner: LaneRunOwner
  #inner: Run | null = null
  #stop: StopReason | null = null
  #freed = false

  constructor(assignment: Omit<Assignment, 'run'>, listener: RunListener, owner: LaneRunOwner) {
    this.#assignment = assignment
    this.#listener = listener
    this.#owner = owner
  }

  /** A thread is there. */
  begin(pool: Pick<ThreadPool, 'start'>): void {
    this.#inner = pool.start(this.#assignment, this)
    if (this.#stop !== null) this.#inner.requestStop(this.#stop)
  }

  /** It waited in vain: no thread could be opened. */
  refuse(error: ErrorRecord): void {
    this.outcome({ type: 'unknown-kind', error })
    this.withdraw()
  }

  /** It is over without a thread. */
  withdraw(): void {
    this.over({ type: 'exited', exitCode: 0, error: null, terminated: true })
  }

  /** 0 while it waits. */
  get threadId(): number {
    return this.#inner?.threadId ?? 0
  }

  get pid(): number | null {
    return this.#inner?.pid ?? null
  }

  handedAt(): number | null {
    return this.#inner?.handedAt() ?? null
  }

  startedAt(): number | null {
    return this.#inner?.startedAt() ?? null
  }

  requestStop(reason: StopReason): void {
    this.#stop ??= reason
    this.#inner?.requestStop(reason)
  }

  answer(question: number, answer: Answered): void {
    this.#inner?.answer(question, answer)
  }

  terminate(): void {
    if (this.#inner === null) this.#owner.withdrawn(this)
    else this.#inner.terminate()
  }

  condemn(): void {
    if (this.#inner === null) return this.terminate()
    // First of all: the pool answers at once with the new count.
    if (!this.#freed) this.#free('condemned')
    this.#inner.condemn()
  }

  progress(fraction: number | null, note: string | null): void {
    this.#listener.progress(fraction, note)
  }

  log(record: LogRecord): void {
    this.#listener.log(record)
  }

  timing(word: TimingWord): void {
    this.#listener.timing(word)
  }

  ask(question: number, request: AskRequest): void {
    this.#listener.ask(question, request)
  }

  outcome(outcome: HandlerOutcome): void {
    this.#listener.outcome(outcome)
  }

  /** The lane has room after the listener has heard: in between its thread is not idle yet. */
  over(end: RunEnd): void {
    this.#listener.over(end)
    if (!this.#freed) this.#free('over')
  }

  #free(how: 'over' | 'condemned'): void {
    this.#freed = true
    this.#owner.freed(how)
  }
}
