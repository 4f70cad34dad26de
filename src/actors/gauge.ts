/**
 * Counts and times what this runtime does, kind by kind. It listens to the dispatcher and decides nothing; what it keeps is
 * bounded, however many jobs there are.
 */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import type { Clock } from '../clock.ts'
import type { Settlement } from '../job/outcome.ts'
import type { AttemptStats, RuntimeStats, TimeSpread } from '../job/runtime-stats.ts'
import type { ClaimedJob } from '../persistence/commands/claim.ts'
import type { SettleAnswer } from '../persistence/commands/settle.ts'
import type { Attempt } from './attempt.ts'
import type { DispatchListener } from './dispatch-listener.ts'
import { RecentRate } from './recent-rate.ts'

/** Kinds past this many are counted together: a histogram takes some 50 KiB. */
const kindsMax = 200
const otherKinds = '(other kinds)'
const microsecondsMax = 30 * 24 * 3_600 * 1e6

type Counts = { -readonly [Name in Exclude<keyof AttemptStats, 'runTime' | 'waitTime'>]: number }

interface KindGauge {
  readonly counts: Counts
  readonly runTime: RecordableHistogram
  readonly waitTime: RecordableHistogram
}

/** Keeps the figures of `runtime.stats()`. */
export class Gauge implements DispatchListener {
  readonly #clock: Clock
  readonly #since: number
  readonly #rate: RecentRate
  readonly #kinds = new Map<string, KindGauge>()
  #condemned = 0

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock
    this.#since = clock.wall()
    this.#rate = new RecentRate(clock)
  }

  started({ job }: Attempt): void {
    record(this.#of(job.kind).waitTime, this.#clock.wall() - job.runAt)
  }

  progress(): void {}

  log(): void {}

  condemned(): void {
    this.#condemned++
  }

  settled({ job, startedAtMono }: Attempt, answer: SettleAnswer, settlement: Settlement | null): void {
    if (answer.type === 'stale' || settlement === null) return
    const { counts, runTime } = this.#of(job.kind)
    const failed = settlement.type === 'fail' || settlement.type === 'discard'
    if (failed && answer.state !== 'cancelled') counts.failed++
    if (answer.state === 'ready' || answer.state === 'suspended') counts[putBackBy[settlement.type]]++
    else {
      counts[answer.state as 'completed' | 'discarded' | 'cancelled']++
      if (answer.state === 'completed') this.#rate.record()
    }
    if (answer.state !== 'ready' || failed) record(runTime, this.#clock.mono() - startedAtMono)
  }

  handedBack({ kind }: ClaimedJob, answer: SettleAnswer): void {
    if (answer.type === 'settled' && answer.state === 'cancelled') this.#of(kind).counts.cancelled++
  }

  /** The figures so far. The client knows of restarts, this thread does not. */
  stats(): Omit<RuntimeStats, 'restarts'> {
    const total = emptyGauge()
    for (const { counts, runTime, waitTime } of this.#kinds.values()) {
      for (const name of Object.keys(counts) as (keyof Counts)[]) total.counts[name] += counts[name]
      total.runTime.add(runTime)
      total.waitTime.add(waitTime)
    }
    return {
      since: this.#since,
      condemned: this.#condemned,
      completedPerSecond: this.#rate.perSecond(),
      total: shown(total),
      kinds: Object.fromEntries([...this.#kinds].map(([kind, gauge]) => [kind, shown(gauge)])),
    }
  }

  #of(kind: string): KindGauge {
    const known = this.#kinds.get(kind)
    if (known !== undefined) return known
    if (this.#kinds.size >= kindsMax && kind !== otherKinds) return this.#of(otherKinds)
    const made = emptyGauge()
    this.#kinds.set(kind, made)
    return made
  }
}

/** By which settlement a job is `ready` again; the others end it. */
const putBackBy: Readonly<Record<Settlement['type'], keyof Counts>> = {
  fail: 'retried',
  snooze: 'snoozed',
  interrupted: 'interrupted',
  complete: 'completed',
  discard: 'discarded',
  cancel: 'cancelled',
  skip: 'cancelled',
  suspend: 'suspended',
}

function emptyGauge(): KindGauge {
  const histogram = () => createHistogram({ lowest: 1, highest: microsecondsMax, figures: 2 })
  const counts = { completed: 0, failed: 0, retried: 0, discarded: 0, cancelled: 0, snoozed: 0, interrupted: 0, suspended: 0 }
  return { counts, runTime: histogram(), waitTime: histogram() }
}

/** A histogram takes whole numbers from 1; a wall clock that was set back may give less. */
function record(histogram: RecordableHistogram, ms: number): void {
  histogram.record(Math.min(Math.max(Math.round(ms * 1_000), 1), microsecondsMax))
}

function shown({ counts, runTime, waitTime }: KindGauge): AttemptStats {
  return { ...counts, runTime: spreadOf(runTime), waitTime: spreadOf(waitTime) }
}

function spreadOf(histogram: RecordableHistogram): TimeSpread {
  const at = (percentile: number) => (histogram.count === 0 ? 0 : histogram.percentile(percentile) / 1_000)
  return { count: histogram.count, p50: at(50), p95: at(95), p99: at(99), max: at(100) }
}
