/** The public side of an enqueue in the app's own transaction. */
import { realClock } from '../clock.ts'
import { optionInvalid } from '../errors.ts'
import { type EnqueueOptions, newJobOf } from '../job/enqueue-options.ts'
import type { JobId } from '../job/lease.ts'
import { encodePayload } from '../job/payload.ts'
import { type EnqueueStatement, enqueueStatementOf } from '../persistence/enqueue-statement.ts'
import { realRandom } from '../random.ts'

const clock = realClock()

/**
 * An enqueue as one SQL statement, to run in a transaction of your own on the same file: the job is there if and only if your
 * transaction commits, and a runtime notices the commit within 50 ms. It needs no runtime, but a file that one has opened before.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`, also for what one statement cannot do: `after`, and a `unique.conflict` other than `'reuse'` and
 * `'reject'`; `REEVE_PAYLOAD_UNCLONEABLE`, `REEVE_PAYLOAD_TOO_LARGE`.
 * @example
 * ```ts
 * const { sql, params } = enqueueStatement('thumbnail', { file: 'a.png', width: 200 })
 * db.transaction(() => {
 *   db.prepare('INSERT INTO uploads (file) VALUES (?)').run('a.png')
 *   db.prepare(sql).run(...params)
 * })()
 * ```
 */
export function enqueueStatement(kind: string, input?: unknown, options: EnqueueOptions = {}): EnqueueStatement {
  const now = clock.wall()
  const job = newJobOf({ id: realRandom.id(now) as JobId, kind, input: encodePayload(input), now }, options)
  if (job.after !== undefined) throw optionInvalid('after', 'given', 'nothing in a statement: enqueue such a job by a runtime')
  const conflict = job.unique?.conflict ?? 'reuse'
  if (conflict !== 'reuse' && conflict !== 'reject')
    throw optionInvalid('unique.conflict', conflict, "'reuse' or 'reject' in a statement: enqueue such a job by a runtime")
  return enqueueStatementOf(job, now)
}
