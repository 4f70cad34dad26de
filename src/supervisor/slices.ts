/**
 * Long reads of the store, in slices with a turn of the event loop between them: leases are renewed and jobs settled meanwhile,
 * however long the list is.
 */
import type { Clock } from '../clock.ts'
import type { KindCounts } from '../job/kind-counts.ts'
import type { JobState } from '../job/state.ts'
import type { JobRow } from '../persistence/job-row.ts'
import type { JobsQuery } from '../persistence/jobs-query.ts'
import type { Store } from '../persistence/store.ts'

/** Rows of one slice: some milliseconds. */
const lookMax = 4_000
/** Rows that one page looks at; a page of a rare job among many others may be short, and its cursor goes on. */
const pageLookMax = 100_000

/** What the client asks for. */
export type JobsPageQuery = Omit<JobsQuery, 'lookMax'>

/** Some jobs, and where to go on (null at the end). */
export interface JobsPageRows {
  readonly rows: readonly JobRow[]
  readonly place: readonly number[] | null
}

interface Sliced {
  readonly store: Pick<Store, 'jobs' | 'kindCounts'>
  readonly clock: Pick<Clock, 'nextTurn'>
}

/** Fills a page: slice after slice, until it is full, or has looked at enough rows. */
export async function jobsPage({ store, clock }: Sliced, query: JobsPageQuery): Promise<JobsPageRows> {
  const rows: JobRow[] = []
  let { after } = query
  let looked = 0
  for (;;) {
    const slice = await store.jobs({ ...query, after, limit: query.limit - rows.length, lookMax })
    rows.push(...slice.rows)
    looked += slice.looked
    const { place } = slice
    if (place === null || slice.isCut || rows.length >= query.limit || looked >= pageLookMax) return { rows, place }
    after = place
    await nextTurn(clock)
  }
}

/** Reads the whole table. Each job is counted once, in the state that it was in when its slice was read. */
export async function countsByKind({ store, clock }: Sliced): Promise<KindCounts[]> {
  const found = new Map<string, { kind: string; queue: string; counts: Record<JobState, number> }>()
  let place: number | null = 0
  while (place !== null) {
    const slice = await store.kindCounts(place, lookMax)
    for (const { kind, queue, state, jobs } of slice.counts) {
      const key = JSON.stringify([kind, queue])
      const entry = found.get(key) ?? { kind, queue, counts: { ...none } }
      entry.counts[state] += jobs
      found.set(key, entry)
    }
    place = slice.place
    if (place !== null) await nextTurn(clock)
  }
  return [...found.values()]
}

const none: Readonly<Record<JobState, number>> = {
  ready: 0,
  running: 0,
  suspended: 0,
  parked: 0,
  completed: 0,
  cancelled: 0,
  discarded: 0,
}

function nextTurn(clock: Pick<Clock, 'nextTurn'>): Promise<void> {
  return new Promise((resolve) => clock.nextTurn(resolve))
}
