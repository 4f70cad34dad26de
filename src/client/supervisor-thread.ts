/**
 * The client's side of the supervisor thread: starts it, notices its death, starts it again. Comlink alone would
 * leave a call to a dead thread pending for ever, so every pending call is kept here and rejected at the exit.
 */

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import * as comlink from 'comlink'
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs'
import { type Clock, realClock } from '../clock.ts'
import { ReeveError } from '../errors.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import type { JobEvent } from '../job/job-events.ts'
import { decideRestart, restartPolicyDefault } from '../restart-policy.ts'
import { siblingModule } from '../sibling-module.ts'
import type { CallAnswer } from '../supervisor/calls/answer.ts'
import type { CloseAnswer } from '../supervisor/calls/life.ts'
import type { SupervisorCalls } from '../supervisor/calls/supervisor-calls.ts'
import type { SupervisorConfig, SupervisorStart } from '../supervisor/config.ts'
import type { ClientMessage, SupervisorMessage } from '../supervisor/messages.ts'
import { reviveError } from '../threads/revive-error.ts'
import { debuggerIsAttached, framesOfThread } from './thread-inspector.ts'
import { Watchdog } from './watchdog.ts'

/** What the owner of the thread is told. */
export interface ThreadListener {
  message(message: SupervisorMessage): void
  /** The thread died. What was pending is to be rejected; it will be started again unless `final`. */
  died(cause: Error, final: boolean): void
  /** A new thread is up after a death. */
  restarted(): void
  /** Which events a new thread is to tell from its first moment on. */
  listened(): readonly JobEvent['type'][]
}

/** One incarnation of the thread. */
interface Incarnation {
  readonly worker: Worker
  readonly port: MessagePort
  readonly calls: comlink.Remote<SupervisorCalls>
}

/** Keeps one supervisor thread alive. */
export class SupervisorThread {
  readonly #config: SupervisorConfig
  readonly #listener: ThreadListener
  readonly #clock: Clock
  readonly #pending = new Set<(error: Error) => void>()
  #up: Promise<Incarnation>
  /** Looks into threads that are under way. */
  readonly #looks = new Set<Promise<unknown>>()
  #current: Incarnation | undefined
  #history: readonly number[] = []
  #refed = true
  /** What the thread said before it ended itself. */
  #lastWords: ErrorRecord | undefined
  #state: 'open' | 'closing' | 'closed' | 'failed' = 'open'

  private constructor(config: SupervisorConfig, listener: ThreadListener, clock: Clock) {
    this.#config = config
    this.#listener = listener
    this.#clock = clock
    this.#up = this.#spawn()
  }

  /**
   * Starts the thread and resolves when it is ready.
   *
   * @throws ReeveError with the code of whatever kept it from starting.
   */
  static async start(config: SupervisorConfig, listener: ThreadListener, clock: Clock = realClock()): Promise<SupervisorThread> {
    const thread = new SupervisorThread(config, listener, clock)
    await thread.#up
    return thread
  }

  /** Whether messages can be sent at once. */
  get isUp(): boolean {
    return this.#current !== undefined && this.#state === 'open'
  }

  /** Sends a plain message; while the thread is being restarted it goes to the next one. */
  send(message: ClientMessage): void {
    if (this.#current !== undefined) this.#current.port.postMessage(message)
    else void this.#up.then(({ port }) => port.postMessage(message)).catch(() => undefined)
  }

  /**
   * Calls the supervisor and resolves with its answer.
   *
   * @throws ReeveError `REEVE_SUPERVISOR_DIED` if the thread dies first; `REEVE_RUNTIME_CLOSED` after `close`.
   */
  async call<T>(ask: (calls: comlink.Remote<SupervisorCalls>) => Promise<CallAnswer<T>>): Promise<T> {
    if (this.#state === 'closing' || this.#state === 'closed') throw closedError()
    const { calls } = await this.#up
    const answer = await this.#orDeath(ask(calls))
    if (answer.ok) return answer.value
    throw reviveError(answer.error)
  }

  /** Drains, closes the database, and resolves when the thread has exited. Calling it twice is fine. */
  async close(timeoutMs: number): Promise<void> {
    if (this.#state !== 'open') return this.#exited()
    const current = await this.#up.catch(() => undefined)
    this.#state = 'closing'
    if (current === undefined) return
    let condemned = 0
    try {
      const answer = await this.#orDeath<CallAnswer<CloseAnswer>>(current.calls.close(timeoutMs))
      if (!answer.ok) throw reviveError(answer.error)
      condemned = answer.value.condemned
    } finally {
      // The supervisor cannot exit before its condemned threads do, and its presence must outlive them: it is left to itself.
      if (condemned > 0) current.worker.unref()
      else await current.worker.terminate()
      this.#state = 'closed'
    }
  }

  /** Lets the process end while the runtime is open (`false`), or keeps it alive (`true`, the default). */
  keepAlive(refed: boolean): void {
    this.#refed = refed
    if (refed) this.#current?.worker.ref()
    else this.#current?.worker.unref()
  }

  async #exited(): Promise<void> {
    const current = this.#current
    if (current !== undefined && this.#state === 'closing')
      await new Promise<void>((resolve) => current.worker.once('exit', () => resolve()))
  }

  /** Races an answer against the thread's death. */
  #orDeath<T>(answer: PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#pending.add(reject)
      Promise.resolve(answer)
        .then(resolve, reject)
        .finally(() => this.#pending.delete(reject))
    })
  }

  /** The handshake: nothing is sent to a thread before it has said `ready`. */
  #spawn(): Promise<Incarnation> {
    const hot = new MessageChannel()
    const control = new MessageChannel()
    const pulse = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    const listened = this.#listener.listened()
    const start: SupervisorStart = { config: this.#config, port: hot.port2, callPort: control.port2, pulse, listened }
    const worker = new Worker(siblingModule('../supervisor/main', import.meta.url), {
      name: 'reeve-supervisor',
      workerData: start,
      transferList: [hot.port2, control.port2],
    })
    if (!this.#refed) worker.unref()
    const incarnation: Incarnation = {
      worker,
      port: hot.port1,
      calls: comlink.wrap<SupervisorCalls>(nodeEndpoint(control.port1)),
    }
    return new Promise((resolve, reject) => {
      let fault: Error | undefined
      let watchdog: Watchdog | undefined
      worker.on('error', (error) => {
        fault = error instanceof Error ? error : new Error(String(error))
      })
      hot.port1.on('message', (message: SupervisorMessage) => {
        if (message.type === 'failed') this.#lastWords = message.error
        else if (message.type === 'inspect') void this.#inspect(hot.port1, message.question, message.threadId)
        else if (message.type === 'ready') {
          watchdog = this.#watch(worker, pulse)
          this.#current = incarnation
          resolve(incarnation)
        } else this.#listener.message(message)
      })
      // The port is emptied before its close is told, so the thread's last words are in by then.
      const closed = new Promise<void>((done) => hot.port1.once('close', done))
      worker.once('exit', (code) => {
        watchdog?.stop()
        control.port1.close()
        // The thread kept the process alive so far. Until its death is told, nothing else may: an app that awaits us would just end.
        hot.port1.ref()
        void closed.then(() => this.#afterExit(incarnation, this.#causeOf(fault, code), reject))
      })
      hot.port1.unref()
      control.port1.unref()
    })
  }

  /** The thread is hung: end it. Its exit, which native code may delay, starts the next one. */
  #watch(worker: Worker, pulse: SharedArrayBuffer): Watchdog {
    return new Watchdog({
      pulse,
      clock: realClock({ ref: false }),
      limitMs: this.#config.watchdogMs,
      hung: (deafMs) => {
        if (debuggerIsAttached() || this.#state !== 'open') return
        this.#lastWords = { name: 'Error', message: `It was deaf for ${Math.round(deafMs)} ms and was taken for hung.` }
        // Its threads die with it, and a look must not meet one that is dying: see actors/look-gate.ts. Each look is bounded.
        void Promise.allSettled(this.#looks).then(() => worker.terminate())
      },
    })
  }

  async #inspect(port: MessagePort, question: number, threadId: number): Promise<void> {
    const look = framesOfThread(threadId, this.#config.inspectMs, this.#clock).catch(() => undefined)
    this.#looks.add(look)
    const frames = await look
    this.#looks.delete(look)
    port.postMessage({ type: 'inspected', question, frames } satisfies ClientMessage)
  }

  #causeOf(fault: Error | undefined, exitCode: number): Error {
    const words = this.#lastWords
    this.#lastWords = undefined
    if (words !== undefined) return reviveError(words)
    return fault ?? new Error(`The supervisor thread exited with code ${exitCode}.`)
  }

  #afterExit(incarnation: Incarnation, cause: Error, rejectStart: (error: Error) => void): void {
    const wasUp = this.#current === incarnation
    this.#current = undefined
    rejectStart(cause)
    if (this.#state !== 'open') return this.#rejectPending(closedError())
    if (!wasUp && this.#history.length === 0) {
      // The first start failed: that is the caller's to hear, and nothing to repeat.
      this.#state = 'failed'
      return
    }
    const decision = decideRestart(this.#history, this.#clock.mono(), restartPolicyDefault)
    this.#history = decision.history
    if (decision.restart) {
      this.#up = this.#spawn()
      this.#up.then(
        () => this.#listener.restarted(),
        () => undefined,
      )
    } else {
      this.#state = 'failed'
      this.#up = Promise.reject(failedError(cause))
      this.#up.catch(() => undefined)
    }
    this.#rejectPending(diedError(cause))
    this.#listener.died(decision.restart ? diedError(cause) : failedError(cause), !decision.restart)
  }

  #rejectPending(error: Error): void {
    for (const reject of [...this.#pending]) reject(error)
    this.#pending.clear()
  }
}

/** For every call to a runtime that is closed. */
export function closedError(): ReeveError {
  return new ReeveError('REEVE_RUNTIME_CLOSED', 'The runtime is closed; make a new one with createRuntime().')
}

function diedError(cause: Error): ReeveError {
  return new ReeveError(
    'REEVE_SUPERVISOR_DIED',
    `The supervisor thread died before it answered (${cause.message}); it is being started again. An enqueue may or may not have been stored: look with runtime.get(id).`,
    { cause },
  )
}

function failedError(cause: Error): ReeveError {
  return new ReeveError(
    'REEVE_SUPERVISOR_FAILED',
    `The supervisor thread died too often and was given up (${cause.message}). Waiting jobs are kept in the database; make a new runtime once the cause is gone.`,
    { cause },
  )
}
