/**
 * Piscina, reduced to what it is used for: it opens a thread when it is told to, and carries a task to the thread that
 * we name. It opens and replaces none by itself, and its queue holds nothing, so that a task can neither be stranded
 * nor be run by another thread; its abort signals and its `close` are never used.
 */
import type { Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import type { Clock } from '../clock.ts'
import { siblingModule } from '../sibling-module.ts'
import type { Carrier, CarrierSource } from './carrier.ts'
import type { ResourceLimits } from './resource-limits.ts'
import { type SendTask, ThreadCarrier } from './thread-carrier.ts'

const workerFile = siblingModule('./worker/main', import.meta.url)

/** What piscina is opened with. */
export interface PiscinaThreadsOptions {
  readonly clock: Pick<Clock, 'nextTurn'>
  readonly resourceLimits?: ResourceLimits
  readonly env?: NodeJS.ProcessEnv
}

/** Forgets what piscina would queue: the task that makes it open a thread, which no thread is ever to get. */
const noQueue = { size: 0, push: () => undefined, shift: () => null, remove: () => undefined }

/** Opens threads by piscina. A thread that ends is piscina's no longer. */
export class PiscinaThreads implements CarrierSource {
  readonly #piscina: Piscina
  readonly #starting = new Map<number, ThreadCarrier>()
  readonly #failed: (error: unknown) => void
  /** The thread that the next task is meant for; piscina's balancer asks for it within `run`. */
  #chosen: number | null = null

  /** `failed` is called where a task went astray, which must not be. */
  constructor({ clock, resourceLimits, env }: PiscinaThreadsOptions, failed: (error: unknown) => void) {
    this.#failed = failed
    this.#piscina = new Piscina({
      filename: workerFile.href,
      name: 'handleTask',
      minThreads: 0,
      // The pool decides how many there are; with condemned ones there can be more than its own number.
      maxThreads: Number.POSITIVE_INFINITY,
      idleTimeout: Number.POSITIVE_INFINITY,
      concurrentTasksPerWorker: 1,
      atomics: 'disabled',
      recordTiming: false,
      taskQueue: noQueue,
      loadBalancer: (_task, workers) => {
        const worker = workers.find(({ id }) => id === this.#chosen) ?? null
        if (worker !== null) this.#chosen = null
        return worker
      },
      ...(resourceLimits !== undefined && { resourceLimits }),
      ...(env !== undefined && { env }),
    })
    this.#piscina.on('workerCreate', ({ id }: { readonly id: number }) => {
      // Not in this turn: piscina tells of a new thread just before it is ready to hand tasks to it.
      clock.nextTurn(() => {
        this.#starting.get(id)?.isUp()
        this.#starting.delete(id)
      })
    })
    // What it says comes by the thread's own worker too, and is dealt with there; unheard here it would end the process.
    this.#piscina.on('error', () => undefined)
  }

  /** Piscina opens a thread for a task that no thread takes; the balancer refuses this one, and the queue forgets it. */
  open(): Carrier {
    const before = new Set<Worker>(this.#piscina.threads)
    this.#chosen = null
    void this.#piscina.run(null)
    const worker = this.#piscina.threads.find((thread) => !before.has(thread))
    if (worker === undefined) throw new Error('Piscina opened no thread.')
    const { threadId } = worker
    const carrier = new ThreadCarrier(worker, (task, transfer) => this.#send(threadId, task, transfer))
    this.#starting.set(threadId, carrier)
    worker.once('exit', () => this.#starting.delete(threadId))
    return carrier
  }

  #send(threadId: number, ...[task, transfer]: Parameters<SendTask>): Promise<unknown> {
    this.#chosen = threadId
    const answer = transfer === undefined ? this.#piscina.run(task) : this.#piscina.run(task, { transferList: transfer })
    if (this.#chosen !== null) this.#failed(new Error(`Piscina did not hand a task to thread ${threadId}.`))
    return answer
  }
}
