/**
 * The seam between the actors and whatever runs handlers. The real pool is piscina behind this interface;
 * the properties drive the same actors over a simulated one.
 */
import type { ErrorRecord } from '../job/error-record.ts'
import type { StopReason } from '../job/kind.ts'
import type { FailedFile, LoadedJobs } from '../job/loaded-jobs.ts'
import type { TimingWord } from '../job/timing.ts'
import type { Answered, AskRequest } from './asks.ts'
import type { Assignment, HandlerOutcome, LogRecord } from './protocol.ts'

/** What the pool tells its owner. It calls these from its own turn, never from inside a call to it. */
export interface PoolListener {
  /** A thread has become free to take a run (a new one has loaded its jobs, or a run is over). */
  threadIdle(): void
  /** A thread failed to load the jobs module. It is replaced after a while; the pool goes on with the others. */
  threadUnusable(error: ErrorRecord): void
  /** A thread has loaded the jobs, but for these files; told of each thread, and the kinds of these files are unknown to it. */
  filesFailed(files: readonly FailedFile[]): void
  /** The `setup` or `teardown` of a kind failed. No job is charged with it, and its worker goes on where it can. */
  resourceFailed(error: ErrorRecord): void
  /** A job that had already ended threw late and its thread was replaced; nobody else was harmed. */
  lateFault(fault: { readonly jobId: string; readonly kind: string; readonly error: ErrorRecord }): void
  /**
   * How many threads are condemned (told to die, and not gone) has changed. `capReached`: more are than may be
   * replaced, so that fewer runs fit than there should be.
   */
  condemnedChanged(condemned: number, capReached: boolean): void
  /** The pool itself cannot go on. */
  failed(error: unknown): void
}

/** What a run tells. After `over` nothing more comes: the port is closed or the thread has taken its answer back. */
export interface RunListener {
  progress(fraction: number | null, note: string | null): void
  log(record: LogRecord): void
  /** Of `ctx.timing`, in the order in which it was said. */
  timing(word: TimingWord): void
  /** The handler asks something and waits for {@link Run.answer}. */
  ask(question: number, request: AskRequest): void
  /** At most once. Without it the handler was stopped half-way; a run whose thread died before its handler began is a `bystander`. */
  outcome(outcome: HandlerOutcome): void
  /** The run holds its thread no longer: it is free for another run, or it has *exited*. The proof that promise P2 asks for. */
  over(end: RunEnd): void
}

/** How a run's hold on its thread ended. */
export type RunEnd =
  /** The handler ended and the thread lives on. An outcome has been told before. */
  | { readonly type: 'done' }
  /**
   * The thread has exited and all it had sent was told before. `error` is what the thread died of, if it did;
   * `terminated` is whether it was told to die, by its run or with the pool.
   */
  | { readonly type: 'exited'; readonly exitCode: number; readonly error: ErrorRecord | null; readonly terminated: boolean }

/** A handler at work on a thread. */
export interface Run {
  /** Of a run in a child process: its process id, which is also its main thread's number for the system. */
  readonly threadId: number
  /** The child process that has the run; null on a thread of this process, and while the run waits. */
  readonly pid: number | null
  /**
   * When a thread was given the run, in monotonic milliseconds; null while it waits for the first thread of its own kind
   * to load, which the load timeout bounds. Bounds on starting count from here.
   */
  handedAt(): number | null
  /** When the handler started, in monotonic milliseconds; null while it has not. Costs no message. */
  startedAt(): number | null
  /** Asks the handler to stop: the signal of async code and the cell that synchronous code reads. The first reason stands. */
  requestStop(reason: StopReason): void
  /** Answers a question of the handler, once. Where its thread is gone nobody hears it. */
  answer(question: number, answer: Answered): void
  /** Ends the thread. `over` comes when it has exited, which native code can delay by seconds. Calling it twice is fine. */
  terminate(): void
  /**
   * Gives the thread up: another one takes its place, while it may live on in native code. To be called where `over` has
   * not come some time after `terminate`. `over` comes as ever when it has exited at last.
   */
  condemn(): void
}

/** How a pool is closed. */
export interface CloseOptions {
  readonly leaveCondemned?: boolean
}

/** Threads that run handlers. */
export interface ThreadPool {
  /** Opens the threads and resolves with the kinds of the jobs once the first one has loaded them. */
  open(listener: PoolListener): Promise<LoadedJobs>
  /**
   * Loads the jobs anew, and resolves when whatever is started from then on runs on a thread that has. What runs goes on, on the
   * thread that it has. Rejects where they cannot be loaded, and then all is as before. Not to be called again before it settles.
   */
  recycle(): Promise<LoadedJobs>
  /** How many runs can start now. */
  idleCount(): number
  /** How many threads have been opened and have not exited. */
  threadCount(): number
  /** How many of them are condemned. */
  condemnedCount(): number
  /** Hands an attempt to an idle thread. `run` is filled in by the pool. Throws where none is idle: ask `idleCount` first. */
  start(assignment: Omit<Assignment, 'run'>, listener: RunListener): Run
  /**
   * Ends all threads and resolves when they have exited. With `leaveCondemned` it does not wait for those that are condemned
   * (now or later in the closing): they live until their native call returns, `over` of their runs comes then, and
   * the process cannot exit by itself before it. A second call may add `leaveCondemned` to the first one.
   */
  close(options?: CloseOptions): Promise<void>
}
