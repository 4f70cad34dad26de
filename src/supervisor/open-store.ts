/** The one place that names the real store. */
import type { OwnerId } from '../job/lease.ts'
import type { ChildRecord } from '../persistence/child-record.ts'
import type { Presence } from '../persistence/presence.ts'
import { createChildRecord } from '../persistence/sqlite/children.ts'
import { openDatabase } from '../persistence/sqlite/open.ts'
import { holdPresence } from '../persistence/sqlite/presence.ts'
import { createSqliteStore } from '../persistence/sqlite/store.ts'
import type { Store } from '../persistence/store.ts'
import type { SupervisorConfig } from './config.ts'

/** What one connection to the database and one lock beside it give. */
export interface OpenStore {
  readonly store: Store
  readonly presence: Presence
  readonly children: ChildRecord
}

/**
 * Opens the database and takes this incarnation's presence lock.
 *
 * @throws ReeveError with the code of what is wrong; then nothing is left open.
 */
export async function openStore({ databasePath, durability }: SupervisorConfig, owner: OwnerId): Promise<OpenStore> {
  const connection = openDatabase({ database: databasePath, durability })
  const store = createSqliteStore(connection)
  try {
    return { store, presence: holdPresence({ database: databasePath, owner }), children: createChildRecord(connection) }
  } catch (error) {
    await store.close()
    throw error
  }
}
