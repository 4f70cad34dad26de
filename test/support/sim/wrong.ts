/** The places at which a test puts a mistake into a simulated process. */
import type { Presence } from '../../../src/persistence/presence.ts'
import type { Store } from '../../../src/persistence/store.ts'
import type { Services } from '../../../src/supervisor/services.ts'
import type { Rig } from './rig.ts'
import type { Later } from './sim-clock.ts'
import type { SimPool, SimPoolOptions } from './sim-pool.ts'

/** What is wrong with each process; nothing by default. */
export interface Wrong {
  readonly pool?: (options: SimPoolOptions) => SimPool
  /** Between the actors and the store as it is seen. */
  readonly store?: (store: Store, rig: Rig, later: Later) => Store
  readonly presence?: (presence: Presence) => Presence
  readonly services?: (services: Services) => void
}
