/** What is compared with what, and what is aimed at. */
import type { Taken } from './rounds.ts'
import type { SampleName } from './samples/all.ts'
import { median } from './statistics.ts'

/** One line of the report. */
export interface Comparison {
  readonly name: string
  /** What exactly is measured. */
  readonly measures: string
  readonly subject: SampleName
  /** Absent where the number stands for itself. */
  readonly baseline?: SampleName
  /** The name of the number in both samples. */
  readonly number: string
  readonly unit: 'jobs/s' | 'ms' | 'MB'
  /** `ratio`: subject over baseline. `difference`: subject less baseline. `value`: the subject alone. */
  readonly by: 'ratio' | 'difference' | 'value'
  /** At least this ratio; at most this difference or value. */
  readonly target?: number
}

const toResults = 'no-op jobs, from the call of `enqueueMany` until every `handle.result()` has resolved'
const toStart = 'one job at a time on an idle queue, from the call of `enqueue` to the first line of the handler'

/** The report, line by line. */
export const comparisons: readonly Comparison[] = [
  {
    name: "throughput, `'process'`",
    measures: `${toResults}, against bare piscina, which stores nothing`,
    subject: 'reeve-noop-process',
    baseline: 'piscina-noop',
    number: 'jobsPerSecond',
    unit: 'jobs/s',
    by: 'ratio',
    target: 0.4,
  },
  {
    name: "throughput, `'power'`",
    measures: 'the same with the default durability',
    subject: 'reeve-noop-power',
    baseline: 'piscina-noop',
    number: 'jobsPerSecond',
    unit: 'jobs/s',
    by: 'ratio',
    target: 0.3,
  },
  {
    name: "throughput by events, `'process'`",
    measures: 'the same jobs, counted by the event `completed` instead of a `result()` for each',
    subject: 'reeve-noop-process-events',
    baseline: 'piscina-noop',
    number: 'jobsPerSecond',
    unit: 'jobs/s',
    by: 'ratio',
  },
  {
    name: "throughput against SQLite, `'process'`",
    measures: 'the same as line 1, against bare better-sqlite3: insert, claim and settle in batches of 64, no threads',
    subject: 'reeve-noop-process',
    baseline: 'sqlite-process',
    number: 'jobsPerSecond',
    unit: 'jobs/s',
    by: 'ratio',
  },
  {
    name: "throughput against SQLite, `'power'`",
    measures: 'the same as line 2, against bare better-sqlite3 with `synchronous = FULL`',
    subject: 'reeve-noop-power',
    baseline: 'sqlite-power',
    number: 'jobsPerSecond',
    unit: 'jobs/s',
    by: 'ratio',
  },
  {
    name: 'jobs of 5 ms',
    measures: "5 ms CPU jobs, `'power'`, from the call of `enqueueMany` until every result, against bare piscina",
    subject: 'reeve-cpu',
    baseline: 'piscina-cpu',
    number: 'jobsPerSecond',
    unit: 'jobs/s',
    by: 'ratio',
    target: 0.95,
  },
  {
    name: 'a large batch',
    measures:
      "100,000 jobs, `'process'`, from the call of `enqueueMany` until it has resolved, against bare inserts of the same rows into the same table, in one transaction on the calling thread",
    subject: 'reeve-enqueue-many',
    baseline: 'sqlite-insert',
    number: 'jobsPerSecond',
    unit: 'jobs/s',
    by: 'ratio',
    target: 0.5,
  },
  {
    name: 'app thread while a large batch is stored, p99',
    measures: 'the event-loop delay from that call until it has resolved, against an idle process',
    subject: 'reeve-enqueue-many',
    baseline: 'idle',
    number: 'loopP99Ms',
    unit: 'ms',
    by: 'difference',
  },
  {
    name: 'memory of more large batches',
    measures:
      'how much the memory of the process (RSS) has grown from the sixth such batch to the eleventh, the garbage collected in between',
    subject: 'reeve-enqueue-many',
    number: 'grownMb',
    unit: 'MB',
    by: 'value',
    target: 20,
  },
  ...latencies("`'process'`", 'reeve-latency-process'),
  ...latencies("`'power'`", 'reeve-latency-power'),
  {
    name: 'app thread, event-loop delay p50',
    measures:
      'the delay while the 5 ms jobs run on all threads, against an idle process (a timer of 1 ms: idle reads about 1 ms)',
    subject: 'reeve-cpu',
    baseline: 'idle',
    number: 'loopP50Ms',
    unit: 'ms',
    by: 'difference',
  },
  {
    name: 'app thread, event-loop delay p99',
    measures: 'the same, 99th percentile',
    subject: 'reeve-cpu',
    baseline: 'idle',
    number: 'loopP99Ms',
    unit: 'ms',
    by: 'difference',
    target: 2,
  },
  {
    name: 'the same, against bare piscina',
    measures: 'the same p99, against an app thread that hands the same jobs to bare piscina: what the busy cores alone cost',
    subject: 'reeve-cpu',
    baseline: 'piscina-cpu',
    number: 'loopP99Ms',
    unit: 'ms',
    by: 'difference',
  },
]

function latencies(durability: string, subject: SampleName): Comparison[] {
  const line = { subject, unit: 'ms', by: 'value' } as const
  return [
    { ...line, name: `latency p50, ${durability}`, measures: toStart, number: 'startP50Ms', target: 2 },
    { ...line, name: `latency p99, ${durability}`, measures: 'the same, 99th percentile', number: 'startP99Ms' },
    {
      ...line,
      name: `enqueue p50, ${durability}`,
      measures: 'until the promise of `enqueue` has resolved',
      number: 'acknowledgedP50Ms',
    },
  ]
}

/** A comparison with its medians. */
export interface Compared extends Comparison {
  readonly subjectMedian: number
  readonly baselineMedian: number | null
  /** The ratio, the difference or the value, of the medians. */
  readonly outcome: number
  /** Null where nothing is aimed at. */
  readonly met: boolean | null
}

/** Compares what was taken; comparisons of samples that were not taken are left out. */
export function compare(taken: Taken): readonly Compared[] {
  return comparisons
    .filter(({ subject, baseline }) => taken.has(subject) && (baseline === undefined || taken.has(baseline)))
    .map((comparison) => {
      const { subject, baseline, number, by, target } = comparison
      const subjectMedian = medianOf(taken, subject, number)
      const baselineMedian = baseline === undefined ? null : medianOf(taken, baseline, number)
      const outcome = outcomeOf(by, subjectMedian, baselineMedian)
      const met = target === undefined ? null : by === 'ratio' ? outcome >= target : outcome <= target
      return { ...comparison, subjectMedian, baselineMedian, outcome, met }
    })
}

function medianOf(taken: Taken, sample: SampleName, number: string): number {
  return median((taken.get(sample) ?? []).map((numbers) => numbers[number] ?? Number.NaN))
}

function outcomeOf(by: Comparison['by'], subject: number, baseline: number | null): number {
  if (baseline === null || by === 'value') return subject
  return by === 'ratio' ? subject / baseline : subject - baseline
}
