/**
 * Loads the jobs anew when their files change. Editors write a file in several steps, and a checkout writes many: so it waits
 * until nothing has changed for a moment, but not for ever.
 */
import type { Clock, Timer } from '../clock.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import { encodeError } from '../threads/error-codec.ts'
import type { ServiceLogger } from './service-logger.ts'

const quietMs = 100
const waitMaxMs = 2_000
/** A watch that failed (its folder is gone, there are too many watches) is tried again this much later. */
const againMs = 1_000

/** What a watch of files tells. */
export interface FileListener {
  /** This file of code, or a folder, was written, added or removed. May come many times. */
  changed(path: string): void
  /** It sees nothing any more. May come many times. */
  failed(error: unknown): void
}

/** Watches the files of the jobs until it is closed. May throw where it cannot. */
export type WatchFiles = (listener: FileListener) => { close(): void }

/** What a job watch works with. */
export interface JobWatchOptions {
  /** Null where nothing is to be watched. */
  readonly watchFiles: WatchFiles | null
  readonly clock: Pick<Clock, 'after' | 'mono'>
  readonly logger: ServiceLogger
  readonly reload: () => Promise<unknown>
  /** Something went wrong that no call can be told of. */
  readonly trouble: (error: ErrorRecord) => void
}

/** Watches the jobs of one runtime. */
export class JobWatch {
  readonly #options: JobWatchOptions
  #watching: { close(): void } | null = null
  #timer: Timer | null = null
  #again: Timer | null = null
  /** When the first change was heard that no reload has followed yet. */
  #changedAt: number | null = null
  #isOn = false

  constructor(options: JobWatchOptions) {
    this.#options = options
  }

  /** Begins to watch. */
  start(): void {
    this.#isOn = true
    this.#open()
  }

  /** Watches no more. A reload that is under way goes on. */
  stop(): void {
    this.#isOn = false
    this.#close()
    this.#timer?.cancel()
    this.#again?.cancel()
    this.#again = null
  }

  #open(): boolean {
    const { watchFiles } = this.#options
    try {
      this.#watching = watchFiles?.({ changed: (path) => this.#changed(path), failed: (error) => this.#failed(error) }) ?? null
      return true
    } catch (error) {
      this.#failed(error)
      return false
    }
  }

  #close(): void {
    this.#watching?.close()
    this.#watching = null
  }

  #changed(path: string | null): void {
    if (!this.#isOn) return
    const { clock, logger } = this.#options
    if (path !== null) logger.debug({ path }, 'the code of the jobs has changed')
    this.#changedAt ??= clock.mono()
    this.#timer?.cancel()
    const waitMs = Math.min(quietMs, Math.max(this.#changedAt + waitMaxMs - clock.mono(), 0))
    this.#timer = clock.after(waitMs, () => {
      this.#changedAt = null
      this.#options.reload().catch((error: unknown) => this.#reloadFailed(error))
    })
  }

  #reloadFailed(error: unknown): void {
    const record = encodeError(error)
    if (record.code === 'REEVE_RUNTIME_CLOSED') return
    this.#options.logger.error({ err: error }, 'the changed jobs could not be loaded; the old ones go on')
    this.#options.trouble(record)
  }

  /** It is said once, and tried until it works again; whatever has changed meanwhile is taken up then. */
  #failed(error: unknown): void {
    this.#close()
    if (!this.#isOn || this.#again !== null) return
    this.#options.logger.error({ err: error }, 'the files of the jobs cannot be watched; trying again')
    this.#options.trouble(encodeError(error))
    this.#tryAgain()
  }

  #tryAgain(): void {
    this.#again = this.#options.clock.after(againMs, () => {
      if (!this.#open()) return this.#tryAgain()
      this.#again = null
      this.#changed(null)
    })
  }
}
