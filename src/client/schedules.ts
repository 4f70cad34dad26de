/** Schedules as the app sees and changes them: `runtime.schedules`. */
import { ReeveError } from '../errors.ts'
import type { InputOf, Jobs, KindOf, ResultOf } from '../job/definition.ts'
import type { JobId } from '../job/lease.ts'
import { decodePayload } from '../job/payload.ts'
import type { KindSchedule } from '../job/schedule/declaration.ts'
import { nextInstant } from '../job/schedule/instants.ts'
import { newScheduleOf } from '../job/schedule/options.ts'
import type { ScheduleSpec } from '../job/schedule/spec.ts'
import type { ScheduleRow, SkipRow } from '../persistence/schedule-row.ts'
import { realRandom } from '../random.ts'
import { checkInputHere } from './check-input.ts'
import type { JobHandle } from './job-handle.ts'
import type { RuntimeCore } from './runtime/core.ts'

const fireTimesDefault = 5
const fireTimesMax = 1_000

/** A schedule that is made at run time: its kind, when it fires, and the input of its jobs. */
export type ScheduleToUpsert<J extends Jobs> = {
  [K in KindOf<J>]: { readonly kind: K } & Omit<KindSchedule<InputOf<J, K>>, 'name'>
}[KindOf<J>]

/** A schedule and where it stands. Times are milliseconds since the Unix epoch. */
export interface ScheduleInfo extends ScheduleSpec {
  readonly name: string
  readonly kind: string
  readonly input: unknown
  readonly queue: string
  readonly priority: number
  /** `'code'`: with the options of its kind. `'api'`: by `upsert`. */
  readonly declaredBy: 'code' | 'api'
  readonly isPaused: boolean
  /** The last tick that was decided on; before the first one, when it was declared. */
  readonly lastTickAt: number
  /** Null where it is paused, or fires no more. In the past where nobody has fired it yet. */
  readonly nextAt: number | null
  /** Failed ticks in a row. */
  readonly failures: number
  /** `'open'`: ticks are skipped. `'half-open'`: one is let through, to see. */
  readonly breakerState: 'closed' | 'open' | 'half-open'
  readonly createdAt: number
  readonly updatedAt: number
}

/** Lists and changes schedules. Any runtime may, also one without threads; a runtime that has the kind fires them. */
export class Schedules<J extends Jobs> {
  readonly #core: RuntimeCore<J>

  /** @internal */
  constructor(core: RuntimeCore<J>) {
    this.#core = core
  }

  /**
   * Makes a schedule, or changes the one of this name. Where its times change it is counted from now on.
   *
   * @throws ReeveError `REEVE_OPTION_INVALID`, `REEVE_PAYLOAD_…`, `REEVE_SCHEDULE_DECLARED` where code declares the name; with
   * `definitions`, `REEVE_INPUT_INVALID` and `REEVE_KIND_UNKNOWN`.
   * @example
   * ```ts
   * await runtime.schedules.upsert('nightly', { kind: 'report', cron: '30 2 * * *', timeZone: 'Europe/Berlin', input: { pages: 2 } })
   * ```
   */
  async upsert(name: string, schedule: ScheduleToUpsert<J>): Promise<void> {
    this.#core.refuseClosed()
    const { kind, ...options } = schedule as { readonly kind: string } & KindSchedule<unknown>
    const { definitions } = this.#core.options
    if (definitions !== undefined) await checkInputHere(definitions, kind, options.input)
    const row = newScheduleOf({ name, kind, bytesMax: this.#core.payloadBytesMax }, options, 'schedule')
    await this.#core.thread.call((calls) => calls.upsertSchedule(row))
  }

  /** All schedules, by name. */
  async list(): Promise<readonly ScheduleInfo[]> {
    const rows = await this.#core.thread.call((calls) => calls.schedules())
    return rows.map(infoOf)
  }

  /** One schedule, or null. */
  async get(name: string): Promise<ScheduleInfo | null> {
    const row = await this.#core.thread.call((calls) => calls.schedule(name))
    return row === null ? null : infoOf(row)
  }

  /** The stretches of ticks that were not run, and why, latest first. The latest hundred are kept. */
  skips(name: string): Promise<readonly SkipRow[]> {
    return this.#core.thread.call((calls) => calls.scheduleSkips(name))
  }

  /**
   * Fires no more ticks until it is resumed, restarts included. Pausing twice is fine.
   *
   * @throws ReeveError `REEVE_SCHEDULE_NOT_FOUND`.
   */
  async pause(name: string): Promise<void> {
    await this.#core.thread.call((calls) => calls.steerSchedule(name, 'pause'))
  }

  /**
   * Fires again, from the next tick on: those of the pause are not made up for.
   *
   * @throws ReeveError `REEVE_SCHEDULE_NOT_FOUND`.
   */
  async resume(name: string): Promise<void> {
    await this.#core.thread.call((calls) => calls.steerSchedule(name, 'resume'))
  }

  /**
   * Removes it; the jobs that it made stay. Removing one that is not there is fine.
   *
   * @throws ReeveError `REEVE_SCHEDULE_DECLARED` where code declares it: it would be back at the next start.
   */
  async remove(name: string): Promise<void> {
    await this.#core.thread.call((calls) => calls.steerSchedule(name, 'remove'))
  }

  /**
   * Makes one of its jobs now, also where it is paused, whatever runs. It counts as none of its ticks.
   *
   * @throws ReeveError `REEVE_SCHEDULE_NOT_FOUND`.
   */
  async trigger<K extends KindOf<J> = KindOf<J>>(name: string): Promise<JobHandle<ResultOf<J, K>>> {
    const id = realRandom.id(this.#core.clock.wall()) as JobId
    const kind = await this.#core.thread.call((calls) => calls.triggerSchedule(name, id))
    return this.#core.handle({ id, kind })
  }

  /**
   * The next `count` (default 5, up to 1,000) times at which it fires, paused or not, without its jitter.
   *
   * @throws ReeveError `REEVE_SCHEDULE_NOT_FOUND`.
   */
  async nextFireTimes(name: string, { count = fireTimesDefault }: { readonly count?: number } = {}): Promise<readonly Date[]> {
    const row = await this.#core.thread.call((calls) => calls.schedule(name))
    if (row === null) throw new ReeveError('REEVE_SCHEDULE_NOT_FOUND', `There is no schedule '${name}'.`)
    const times: Date[] = []
    let at = nextInstant(row.spec, Math.max(row.cursor, this.#core.clock.wall()))
    while (at !== null && times.length < Math.min(count, fireTimesMax)) {
      times.push(new Date(at))
      at = nextInstant(row.spec, at)
    }
    return times
  }
}

function infoOf(row: ScheduleRow): ScheduleInfo {
  return {
    ...row.spec,
    name: row.name,
    kind: row.kind,
    input: decodePayload(row.input),
    queue: row.queue,
    priority: row.priority,
    declaredBy: row.source,
    isPaused: row.paused,
    lastTickAt: row.cursor,
    nextAt: row.paused ? null : nextInstant(row.spec, row.cursor),
    failures: row.failures,
    breakerState: row.skipWidth === 0 ? 'closed' : row.skipLeft > 0 ? 'open' : 'half-open',
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
