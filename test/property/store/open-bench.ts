/** What programs are run on. */
import { openStore, plainConnection } from '../../support/store/scratch.ts'
import type { Bench } from './runner.ts'

/** Two handles on one new file. */
export function openBench(): Bench {
  const first = openStore()
  return { handles: [first, openStore({ database: first.file })], watch: plainConnection(first.file) }
}

/** The stream of events is on, so that each change is held against its event too. */
export async function keepEvents({ handles: [store] }: Bench): Promise<void> {
  await store.commit([{ type: 'keep-events', limits: { maxCount: 1_000_000, maxAgeMs: null } }])
}
