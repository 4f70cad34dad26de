/**
 * Piscina, reduced to what it is used for: it opens threads, replaces those that ended, and carries a task to the
 * thread that we name. Its queue, its abort signals and its `close` are never used: a queued task can be stranded,
 * an aborted one is told to be over while its thread still runs, and `close` kills busy threads.
 */
import type { MessagePort, Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import type { Clock } from '../clock.ts'
import { siblingModule } from '../sibling-module.ts'
import type { WorkerTask } from './protocol.ts'
import type { ResourceLimits } from './resource-limits.ts'

const workerFile = siblingModule('./worker/main', import.meta.url)

/** What piscina is opened with. */
export interface PiscinaThreadsOptions {
  readonly threads: number
  readonly clock: Clock
  readonly resourceLimits?: ResourceLimits
  readonly env?: NodeJS.ProcessEnv
}

/** What piscina tells. */
export interface PiscinaThreadsListener {
  /** A thread is up; tasks can be sent to it from the next turn on. */
  opened(worker: Worker): void
  /** No more threads will be opened, or a task went astray. */
  failed(error: unknown): void
}

/** A fixed number of threads. Opens them when it is made. */
export class PiscinaThreads {
  readonly #piscina: Piscina
  readonly #listener: PiscinaThreadsListener
  /** The thread that the next task is meant for; piscina's balancer asks for it within `run`. */
  #chosen: number | null = null
  #destroyed = false

  constructor(options: PiscinaThreadsOptions, listener: PiscinaThreadsListener) {
    const { threads, clock, resourceLimits, env } = options
    this.#listener = listener
    this.#piscina = new Piscina({
      filename: workerFile.href,
      name: 'handleTask',
      minThreads: threads,
      maxThreads: threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      concurrentTasksPerWorker: 1,
      atomics: 'disabled',
      recordTiming: false,
      loadBalancer: (_task, workers) => {
        const worker = workers.find(({ id }) => id === this.#chosen) ?? null
        if (worker !== null) this.#chosen = null
        return worker
      },
      ...(resourceLimits !== undefined && { resourceLimits }),
      ...(env !== undefined && { env }),
    })
    this.#listen(threads, clock)
  }

  /** Every thread that piscina has, those that are not up yet included. */
  get workers(): readonly Worker[] {
    return this.#piscina.threads
  }

  /** Hands a task to this thread and no other; settles as piscina's `run`: on death only once the thread has exited or failed. */
  send(threadId: number, task: WorkerTask, transfer?: MessagePort[]): Promise<unknown> {
    this.#chosen = threadId
    const answer = transfer === undefined ? this.#piscina.run(task) : this.#piscina.run(task, { transferList: transfer })
    if (this.#chosen !== null) this.#listener.failed(new Error(`Piscina did not hand a task to thread ${threadId}.`))
    return answer
  }

  /** Ends the threads that there are; resolves when those have exited. To be repeated while any are left. */
  destroy(): Promise<void> {
    this.#destroyed = true
    return this.#piscina.destroy()
  }

  #listen(threads: number, clock: Clock): void {
    this.#piscina.on('workerCreate', ({ id }: { readonly id: number }) => {
      const worker = this.#piscina.threads.find(({ threadId }) => threadId === id)
      if (worker !== undefined && !this.#destroyed) this.#listener.opened(worker)
    })
    // What it says comes by the thread's own worker too, and is dealt with there; unheard here it would end the process.
    let lastError: unknown
    this.#piscina.on('error', (error) => {
      lastError = error
    })
    // Piscina replaces no thread any more once one has died before it was up (a preload that throws, too little memory).
    this.#piscina.on('workerDestroy', () => {
      clock.nextTurn(() => {
        if (this.#destroyed || this.#piscina.threads.length >= threads) return
        this.#listener.failed(lastError ?? new Error('A worker thread ended while it started.'))
      })
    })
  }
}
