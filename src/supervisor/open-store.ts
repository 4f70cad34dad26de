/** The one place that names the real store. */
import type { OwnerId } from '../job/lease.ts'
import type { Presence } from '../persistence/presence.ts'
import { openSqliteStore } from '../persistence/sqlite/open.ts'
import { holdPresence } from '../persistence/sqlite/presence.ts'
import type { Store } from '../persistence/store.ts'
import type { SupervisorConfig } from './config.ts'

/**
 * Opens the database and takes this incarnation's presence lock.
 *
 * @throws ReeveError with the code of what is wrong; then nothing is left open.
 */
export async function openStore(
  { databasePath, durability }: SupervisorConfig,
  owner: OwnerId,
): Promise<{ readonly store: Store; readonly presence: Presence }> {
  const store = openSqliteStore({ database: databasePath, durability })
  try {
    return { store, presence: holdPresence({ database: databasePath, owner }) }
  } catch (error) {
    await store.close()
    throw error
  }
}
