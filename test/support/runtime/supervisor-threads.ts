/**
 * The supervisor threads of this process, as Node itself tells of them when they are made. Ending one is what a fatal
 * error inside it comes to, at any moment that a test likes.
 */
import type { Worker } from 'node:worker_threads'

/** Notes every supervisor thread that is started while it is in use. */
export class SupervisorThreads implements Disposable {
  readonly started: Worker[] = []
  /** Called with each new one, before it has run a line. */
  onStart: ((worker: Worker) => void) | undefined

  constructor() {
    process.on('worker', this.#note)
  }

  /** Ends the latest one, as a crash would: no warning, no clean-up. */
  async killLatest(): Promise<void> {
    const latest = this.started.at(-1)
    if (latest === undefined) throw new Error('no supervisor thread was started')
    await latest.terminate()
  }

  [Symbol.dispose](): void {
    process.off('worker', this.#note)
  }

  readonly #note = (worker: Worker): void => {
    if (worker.threadName !== 'reeve-supervisor') return
    this.started.push(worker)
    this.onStart?.(worker)
  }
}
