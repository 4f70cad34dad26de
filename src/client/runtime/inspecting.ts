/** The line of a runtime that shows its jobs. */
import type { Jobs, KindOf, ResultOf } from '../../job/definition.ts'
import type { JobId } from '../../job/lease.ts'
import { uniqueKey } from '../../job/unique-key.ts'
import { type JobHandle, notFound } from '../job-handle.ts'
import { type JobsOptions, type JobsPage, jobsPageOf, jobsQuery } from '../job-list.ts'
import { type LogsOptions, type LogsPage, logQuery, logsPage } from '../job-logs.ts'
import { type JobSnapshot, snapshotOf } from '../job-snapshot.ts'
import { Calling } from './calling.ts'

/** Shows jobs. */
export abstract class Inspecting<J extends Jobs> extends Calling<J> {
  /** Everything that is known of a job now, or null where no job has this id. */
  async get(id: string): Promise<JobSnapshot | null> {
    const row = await this.core.thread.call((calls) => calls.job(id as JobId))
    return row === null ? null : snapshotOf(row)
  }

  /**
   * Lists jobs, page by page: ask again with the page's cursor until it is null. What moves meanwhile is shown where it is then; no
   * job that stays is shown twice or left out. All filters work; those by `ids`, `correlationId`, `parent`, one of `groups`, or `states`
   * other than ready and completed are found by an index, others by looking at jobs in order, 100,000 a page at most.
   *
   * @throws ReeveError `REEVE_OPTION_INVALID`.
   * @example
   * ```ts
   * const { jobs, cursor } = await runtime.jobs({ filter: { states: ['discarded'] }, order: 'ended', limit: 20 })
   * ```
   */
  async jobs(options: JobsOptions = {}): Promise<JobsPage> {
    const query = jobsQuery(options)
    return jobsPageOf(await this.core.thread.call((calls) => calls.jobs(query)), options)
  }

  /**
   * A handle on a job by its id, also one that another process enqueued: to wait for it, or to cancel it.
   *
   * @throws ReeveError `REEVE_JOB_NOT_FOUND`.
   */
  async handle<K extends KindOf<J>>(id: string): Promise<JobHandle<ResultOf<J, K>>> {
    const row = await this.core.thread.call((calls) => calls.job(id as JobId))
    if (row === null) throw notFound(id)
    return this.core.handle(row)
  }

  /**
   * A handle on the job that holds a unique key now, also one that another process enqueued, or null where the key is free. The key
   * counts in the kind or in the queue, as its enqueue said.
   *
   * @example
   * ```ts
   * const handle = await runtime.handleByKey({ kind: 'thumbnail', key: 'a.png' })
   * ```
   */
  async handleByKey<K extends KindOf<J>>(
    of: { readonly kind: K; readonly key: string } | { readonly queue: string; readonly key: string },
  ): Promise<JobHandle<ResultOf<J, K>> | null> {
    const uniqueKeyOf = 'kind' in of ? uniqueKey('kind', of.kind, of.key) : uniqueKey('queue', of.queue, of.key)
    const holder = await this.core.thread.call((calls) => calls.holderOf(uniqueKeyOf))
    return holder === null ? null : this.core.handle(holder)
  }

  /**
   * Lines that the job's handler wrote by `ctx.log`, oldest first: the latest of all its attempts, as many as the option `jobLogs`
   * keeps. They arrive within half a second, also the last ones of a handler that is ended. Ask again with the page's cursor for
   * what is new.
   *
   * @throws ReeveError `REEVE_JOB_NOT_FOUND`, `REEVE_OPTION_INVALID`.
   * @example
   * ```ts
   * const { lines, cursor } = await runtime.logs(handle.id)
   * ```
   */
  async logs(id: string, options: LogsOptions = {}): Promise<LogsPage> {
    const query = logQuery(id, options)
    const found = await this.core.thread.call((calls) => calls.logs(query))
    if (found === null) throw notFound(id)
    return logsPage(found, options)
  }
}
