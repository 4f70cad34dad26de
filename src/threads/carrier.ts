/**
 * What carries a worker: a thread of this process, or a child process. The pool and its slots know only this, so that
 * both kinds of isolation keep the same promises. The real ones are `thread-carrier.ts` and `child-carrier.ts`.
 */
import type { StopReason } from '../job/kind.ts'
import type { Answered } from './asks.ts'
import type { Assignment, HelloReply, HelloSettings, WorkerMessage } from './protocol.ts'

/** What a carrier tells. `exited` is last and comes once. */
export interface CarrierListener {
  message(message: WorkerMessage): void
  /** It is about to end by itself: nothing may be handed to it. */
  dying(): void
  /** Something that it said was lost: only its exit can be trusted now. */
  broken(error: unknown): void
  /** It is gone, and all that it had sent was told before. `error` is what it died of; undefined where it simply ended. */
  exited(exitCode: number, error: unknown): void
}

/** One thread or child process. */
export interface Carrier {
  readonly threadId: number
  /** Of a child process; null for a thread of this process. */
  readonly pid: number | null
  /** Whether it has got as far as to take a task. */
  readonly up: boolean
  /** To be called at once, before any event can come. */
  listen(listener: CarrierListener): void
  /** Makes it load the jobs module. Need not settle where it dies on the way. */
  hello(settings: HelloSettings): Promise<HelloReply>
  /** Hands it an attempt. It has loaded the jobs module and has no other. */
  assign(assignment: Assignment): void
  /** When the handler of a run began, in monotonic milliseconds; null if it has not. */
  startedAt(run: number): number | null
  requestStop(run: number, reason: StopReason): void
  /** Answers a question of a run. */
  answer(run: number, question: number, answer: Answered): void
  /** Tells it to unmake its resources and end itself. `exited` follows, unless it hangs. It has no run. */
  dismiss(): void
  /** Ends it. `exited` follows, however late. */
  end(): void
  /** The memory that its limit counts, in bytes; null where it cannot be told now. */
  usedBytes(): Promise<number | null>
  /** From here on it does not keep the process alive. */
  unref(): void
}

/** Opens carriers; the pool decides when, and how many. */
export interface CarrierSource {
  open(): Carrier
}
