/** Looking in: what the client asks without changing anything. */
import type { Breaker } from '../../job/breaker.ts'
import type { KindCounts } from '../../job/kind-counts.ts'
import type { JobId } from '../../job/lease.ts'
import type { QueueDepth } from '../../job/queue-depth.ts'
import type { RuntimeLoad } from '../../job/runtime-load.ts'
import type { RuntimeStats } from '../../job/runtime-stats.ts'
import type { JobState } from '../../job/state.ts'
import type { EventsPage, EventsQuery } from '../../persistence/event-log.ts'
import type { LogQuery, StoredLine } from '../../persistence/job-log.ts'
import type { JobRow } from '../../persistence/job-row.ts'
import type { Violation } from '../../persistence/store.ts'
import type { Services } from '../services.ts'
import { countsByKind, type JobsPageQuery, type JobsPageRows, jobsPage } from '../slices.ts'
import { answer, type CallAnswer } from './answer.ts'

/** Calls that look in. */
export interface InspectionCalls {
  job(id: JobId): Promise<CallAnswer<JobRow | null>>
  check(): Promise<CallAnswer<readonly Violation[]>>
  counts(): Promise<CallAnswer<Readonly<Record<JobState, number>>>>
  logs(query: LogQuery): Promise<CallAnswer<readonly StoredLine[] | null>>
  jobs(query: JobsPageQuery): Promise<CallAnswer<JobsPageRows>>
  holderOf(uniqueKey: string): Promise<CallAnswer<{ readonly id: JobId; readonly kind: string } | null>>
  countsByKind(): Promise<CallAnswer<readonly KindCounts[]>>
  events(query: EventsQuery): Promise<CallAnswer<EventsPage | null>>
  breakers(): Promise<CallAnswer<readonly Breaker[]>>
  depth(queue: string | null): Promise<CallAnswer<QueueDepth>>
  oldestReadyAge(queue: string | null): Promise<CallAnswer<number>>
  stats(): Promise<CallAnswer<Omit<RuntimeStats, 'restarts'>>>
  load(): Promise<CallAnswer<RuntimeLoad>>
}

/** Makes the calls that look in. */
export function inspectionCalls({ store, clock, dispatcher, eventFeed, gauge, pool }: Services): InspectionCalls {
  return {
    job: (id) => answer(() => store.job(id)),
    check: () => answer(() => store.violations()),
    counts: () => answer(() => store.counts()),
    logs: (query) => answer(() => store.logs(query)),
    jobs: (query) => answer(() => jobsPage({ store, clock }, query)),
    holderOf: (uniqueKey) => answer(() => store.holderOf(uniqueKey, clock.wall())),
    countsByKind: () => answer(() => countsByKind({ store, clock })),
    events: (query) => answer(() => eventFeed.next(query)),
    breakers: () => answer(() => store.breakers(clock.wall())),
    depth: (queue) => answer(() => store.depth(clock.wall(), queue)),
    oldestReadyAge: (queue) =>
      answer(async () => {
        const now = clock.wall()
        return now - ((await store.oldestDueAt(now, queue)) ?? now)
      }),
    stats: () => answer(() => gauge.stats()),
    load: () => answer(() => ({ ...dispatcher.load(), threads: pool.threadCount(), condemned: pool.condemnedCount() })),
  }
}
