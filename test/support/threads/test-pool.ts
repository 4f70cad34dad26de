/** A real pool for tests, and a run that records all it is told. */
import { realClock } from '../../../src/clock.ts'
import { ReeveError } from '../../../src/errors.ts'
import type { ErrorRecord } from '../../../src/job/error-record.ts'
import type { KindCatalog } from '../../../src/job/kind.ts'
import type { JobId, LeaseToken } from '../../../src/job/lease.ts'
import type { FailedFile } from '../../../src/job/loaded-jobs.ts'
import { encodePayload, type StoredPayload } from '../../../src/job/payload.ts'
import type { TimingWord } from '../../../src/job/timing.ts'
import type { Answered, AskRequest } from '../../../src/threads/asks.ts'
import { PiscinaPool, type PoolOptions } from '../../../src/threads/piscina-pool.ts'
import type { HandlerOutcome, LogRecord } from '../../../src/threads/protocol.ts'
import type { PoolListener, Run, RunEnd, RunListener, ThreadPool } from '../../../src/threads/thread-pool.ts'

/** Everything that a pool told, and a way to wait for more of it. */
class Heard {
  #waiters: (() => void)[] = []

  /** Resolves once `condition` holds; it is looked at after each thing that is heard. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiters.push(resolve))
  }

  protected wake(): void {
    const waiters = this.#waiters
    this.#waiters = []
    for (const waiter of waiters) waiter()
  }
}

/** What one run told, in order of `told`. */
export class RecordedRun extends Heard implements RunListener {
  readonly told: string[] = []
  readonly outcomes: HandlerOutcome[] = []
  readonly notes: (string | null)[] = []
  readonly fractions: (number | null)[] = []
  readonly lines: LogRecord[] = []
  readonly timings: TimingWord[] = []
  readonly questions: AskRequest[] = []
  answers: (request: AskRequest) => Answered | null = () => null
  end: RunEnd | null = null
  run!: Run

  progress(fraction: number | null, note: string | null): void {
    this.fractions.push(fraction)
    this.notes.push(note)
    this.#tell('progress')
  }

  log(record: LogRecord): void {
    this.lines.push(record)
    this.#tell('log')
  }

  timing(word: TimingWord): void {
    this.timings.push(word)
    this.#tell('timing')
  }

  /** Questions are answered by `answers`, where a test says how. */
  ask(question: number, request: AskRequest): void {
    this.questions.push(request)
    this.#tell('ask')
    const answer = this.answers(request)
    if (answer !== null) this.run.answer(question, answer)
  }

  outcome(outcome: HandlerOutcome): void {
    this.outcomes.push(outcome)
    this.#tell('outcome')
  }

  over(end: RunEnd): void {
    this.end = end
    this.#tell('over')
  }

  /** Resolves when the handler has said `note` by `ctx.progress`. */
  said(note: string): Promise<void> {
    return this.until(() => this.notes.includes(note))
  }

  /** How the run ended, once it has. */
  async ended(): Promise<RunEnd> {
    await this.until(() => this.end !== null)
    return this.end as RunEnd
  }

  /** The one outcome, once the run is over. */
  async settled(): Promise<HandlerOutcome> {
    await this.ended()
    if (this.outcomes.length !== 1) throw new Error(`Expected one outcome: ${JSON.stringify(this.outcomes)}`)
    return this.outcomes[0] as HandlerOutcome
  }

  /** The error of the one outcome, once the run is over. */
  async failed(type: HandlerOutcome['type'] = 'threw'): Promise<ErrorRecord> {
    const outcome = await this.settled()
    if (outcome.type !== type || !('error' in outcome)) throw new Error(`Expected '${type}': ${JSON.stringify(outcome)}`)
    return outcome.error
  }

  #tell(what: string): void {
    if (this.end !== null && what !== 'over') throw new Error(`A run said '${what}' after it was over.`)
    this.told.push(what)
    this.wake()
  }
}

/** Makes the pool that is tested, of the options that all pools take. */
export type MakePool = (options: PoolOptions) => ThreadPool

/** A pool over one of the fixture modules. `await using` closes it. */
export class TestPool extends Heard implements PoolListener, AsyncDisposable {
  readonly pool: ThreadPool
  readonly unusable: ErrorRecord[] = []
  readonly filesThatFailed: FailedFile[] = []
  readonly resourceFailures: ErrorRecord[] = []
  readonly lateFaults: { readonly jobId: string; readonly kind: string; readonly error: ErrorRecord }[] = []
  readonly condemned: { readonly condemned: number; readonly capReached: boolean }[] = []
  readonly failures: unknown[] = []
  #jobs = 0

  constructor(module: string, options: Partial<PoolOptions> = {}, make: MakePool = (all) => new PiscinaPool(all)) {
    super()
    const jobsUrl = new URL(`../../threads/pool/jobs/${module}`, import.meta.url).href
    this.pool = make({
      threads: 1,
      jobsUrl,
      clock: realClock(),
      loadTimeoutMs: 20_000,
      payloadBytesMax: 1_000_000,
      niceness: 0,
      logLevel: 10,
      ...options,
    })
  }

  async open(): Promise<KindCatalog> {
    return (await this.pool.open(this)).catalog
  }

  /** Starts a job as soon as a thread is idle. */
  start(kind: string, input?: unknown, { timeoutMs = Number.POSITIVE_INFINITY } = {}): Promise<RecordedRun> {
    return this.startStored(kind, encodePayload(input), timeoutMs)
  }

  /** Starts a job whose input is given in its stored form. */
  async startStored(kind: string, input: StoredPayload, timeoutMs = Number.POSITIVE_INFINITY): Promise<RecordedRun> {
    await this.until(() => this.pool.idleCount() > 0)
    const recorded = new RecordedRun()
    const jobId = `job-${++this.#jobs}` as JobId
    recorded.run = this.pool.start(
      {
        jobId,
        token: 1 as LeaseToken,
        kind,
        queue: 'default',
        group: null,
        input,
        attempt: 2,
        attemptsMax: 3,
        createdAt: 5,
        tick: null,
        budget: null,
        timeoutMs,
      },
      recorded,
    )
    return recorded
  }

  threadIdle(): void {
    this.wake()
  }

  threadUnusable(error: ErrorRecord): void {
    this.unusable.push(error)
    this.wake()
  }

  filesFailed(files: readonly FailedFile[]): void {
    this.filesThatFailed.push(...files)
    this.wake()
  }

  resourceFailed(error: ErrorRecord): void {
    this.resourceFailures.push(error)
    this.wake()
  }

  lateFault(fault: { readonly jobId: string; readonly kind: string; readonly error: ErrorRecord }): void {
    this.lateFaults.push(fault)
    this.wake()
  }

  condemnedChanged(condemned: number, capReached: boolean): void {
    this.condemned.push({ condemned, capReached })
    this.wake()
  }

  failed(error: unknown): void {
    this.failures.push(error)
    this.wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pool.close()
    if (this.failures.length > 0) throw new ReeveError('REEVE_SUPERVISOR_FAILED', 'The pool failed.', { cause: this.failures[0] })
  }
}

/** An open pool over one of the fixture modules. */
export async function openPool(module: string, options: Partial<PoolOptions> = {}, make?: MakePool): Promise<TestPool> {
  const opened = new TestPool(module, options, make)
  await opened.open()
  return opened
}
