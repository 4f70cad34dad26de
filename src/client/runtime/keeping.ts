/** The line of a runtime that keeps small state beside the jobs. */
import type { Jobs, KindOf } from '../../job/definition.ts'
import { type KeyValues, keyValuesOf } from '../../job/key-values.ts'
import { realRandom } from '../../random.ts'
import { Measuring } from './measuring.ts'

/** Reads and writes what handlers keep by `ctx.kv`. */
export abstract class Keeping<J extends Jobs> extends Measuring<J> {
  /**
   * The key-value state of a kind, the same that its handlers have as `ctx.kv`. An app's write is not fenced: it counts whoever
   * runs, so change what handlers change too by `update`.
   *
   * @throws Its functions: ReeveError `REEVE_OPTION_INVALID`, `REEVE_PAYLOAD_UNCLONEABLE`, `REEVE_PAYLOAD_TOO_LARGE`,
   * `REEVE_DATABASE_…`, `REEVE_SUPERVISOR_DIED` (a write may have been made), `REEVE_RUNTIME_CLOSED`.
   * @example
   * ```ts
   * await runtime.kv('crawl').set('cursor', { page: 7, at: new Date() })
   * ```
   */
  kv(kind: KindOf<J>): KeyValues {
    const { thread, clock, payloadBytesMax } = this.core
    return keyValuesOf({
      ask: (operation) => thread.call((calls) => calls.keyValue(kind, operation)),
      newVersion: () => realRandom.id(clock.wall()),
      payloadBytesMax,
    })
  }
}
