/**
 * Keeps what is known of the kinds in step with what the threads have loaded: at the start, and at each reload. It tells once of
 * each file that does not load, however many threads find that out.
 */
import type { ErrorRecord } from '../job/error-record.ts'
import type { KindCatalog } from '../job/kind.ts'
import type { FailedFile, LoadedJobs } from '../job/loaded-jobs.ts'
import { type ReloadReport, reportOf } from '../job/reload-report.ts'
import type { ThreadPool } from '../threads/thread-pool.ts'
import type { ServiceLogger } from './service-logger.ts'

/** What a reloader works with. */
export interface ReloaderOptions {
  readonly pool: Pick<ThreadPool, 'recycle'>
  readonly logger: ServiceLogger
  /** From now on these are the options of each kind. */
  readonly changed: (catalog: KindCatalog) => void
  readonly reloaded: (report: ReloadReport) => void
  /** Something went wrong that no call can be told of. */
  readonly trouble: (error: ErrorRecord) => void
}

/** Loads the jobs anew when it is told to. */
export class Reloader {
  readonly #options: ReloaderOptions
  #loaded: LoadedJobs = { catalog: {}, prints: {}, failed: [] }
  readonly #opened = Promise.withResolvers<void>()
  #latest: Promise<unknown> = this.#opened.promise
  readonly #told = new Set<string>()

  constructor(options: ReloaderOptions) {
    this.#options = options
  }

  /** The first thread has loaded the jobs. */
  opened(loaded: LoadedJobs): void {
    this.#use(loaded)
    this.#opened.resolve()
  }

  /** The kinds that can run, by name, with their options. */
  get catalog(): KindCatalog {
    return this.#loaded.catalog
  }

  /**
   * Loads the jobs anew, after the start and after any reload that is under way: that one may have read what has changed since.
   *
   * @throws ReeveError `REEVE_JOBS_UNLOADABLE` or `REEVE_JOBS_INVALID`, where all is as before; `REEVE_RUNTIME_CLOSED`.
   */
  reload(): Promise<ReloadReport> {
    const reload = this.#latest.then(() => this.#reload())
    this.#latest = reload.catch(() => undefined)
    return reload
  }

  /** A thread could not load these files. */
  filesFailed(files: readonly FailedFile[]): void {
    for (const { file, error } of files) {
      if (!this.isNews(`${file}\n${error.message}`)) continue
      this.#options.logger.error({ file, error }, 'a job file does not load; its jobs wait until it does')
      this.#options.trouble(error)
    }
  }

  /** Whether it was not said since the last reload: each thread finds out the same of the jobs. From now on it was. */
  isNews(saying: string): boolean {
    if (this.#told.has(saying)) return false
    this.#told.add(saying)
    return true
  }

  async #reload(): Promise<ReloadReport> {
    const before = this.#loaded
    this.#told.clear()
    const loaded = await this.#options.pool.recycle()
    this.#use(loaded)
    const report = reportOf(before, loaded)
    const { added, changed, removed } = report
    this.#options.logger.info({ added, changed, removed, failed: report.failed.length }, 'the jobs were loaded anew')
    this.#options.reloaded(report)
    return report
  }

  #use(loaded: LoadedJobs): void {
    this.#loaded = loaded
    this.#options.changed(loaded.catalog)
  }
}
