/**
 * Builds the actors of one runtime and wires them to each other. Building starts nothing: `children.ts` says in
 * which order they start and stop.
 */
import { Announcer } from '../actors/announcer.ts'
import { Committer } from '../actors/committer.ts'
import { Dispatcher } from '../actors/dispatcher.ts'
import { LeaseKeeper } from '../actors/lease-keeper.ts'
import { Notifier, type Outbox } from '../actors/notifier.ts'
import { Reclaimer } from '../actors/reclaimer.ts'
import type { ServiceLogger } from '../actors/service-logger.ts'
import type { StackInspector } from '../actors/stack-inspector.ts'
import { Watcher } from '../actors/watcher.ts'
import type { Clock } from '../clock.ts'
import type { Presence, Store } from '../persistence/store.ts'
import type { Random } from '../random.ts'
import type { ThreadPool } from '../threads/thread-pool.ts'
import type { SupervisorConfig } from './config.ts'

/** The names of the children, as logs and the restart rules use them. */
export type ChildName =
  | 'store'
  | 'presence'
  | 'committer'
  | 'notifier'
  | 'reclaimer'
  | 'pool'
  | 'dispatcher'
  | 'lease-keeper'
  | 'watcher'

/** What the actors stand on: the real parts in a runtime, simulated ones in the properties. */
export interface Ground {
  readonly config: SupervisorConfig
  readonly store: Store
  readonly presence: Presence
  readonly pool: ThreadPool
  readonly clock: Clock
  readonly random: Random
  readonly logger: ServiceLogger
  readonly outbox: Outbox
  readonly inspector: StackInspector
  /** A child cannot go on. */
  readonly failed: (child: ChildName, error: unknown) => void
}

/** All actors of one runtime. */
export interface Services extends Ground {
  readonly committer: Committer
  readonly notifier: Notifier
  readonly announcer: Announcer
  readonly dispatcher: Dispatcher
  readonly leaseKeeper: LeaseKeeper
  readonly reclaimer: Reclaimer
  readonly watcher: Watcher
}

/** Builds all actors over the given ground. */
export function buildServices(ground: Ground): Services {
  const { store, presence, clock, logger, outbox } = ground
  const failed = (child: ChildName) => (error: unknown) => ground.failed(child, error)
  const { owner } = presence
  const committer = new Committer({ store, clock, logger })
  const notifier = new Notifier({ store, clock, outbox, failed: failed('notifier') })
  const announcer = new Announcer({ notifier, logger, clock })
  const dispatcher = buildDispatcher(ground, committer, announcer)
  const reclaimer = new Reclaimer({
    store,
    presence,
    committer,
    clock,
    logger,
    failed: failed('reclaimer'),
    reclaimed: (answer) => {
      announcer.reclaimed(answer)
      dispatcher.wake()
    },
  })
  const leaseKeeper = new LeaseKeeper({
    committer,
    clock,
    owner,
    leaseDurationMs: ground.config.leaseDurationMs,
    leases: () => dispatcher.leases(),
    lost: (leases) => dispatcher.leasesLost(leases),
    failed: failed('lease-keeper'),
  })
  const watcher = new Watcher({
    store,
    clock,
    owner,
    failed: failed('watcher'),
    cancelRequested: (lease) => dispatcher.cancel(lease),
    changed: () => {
      dispatcher.wake()
      notifier.recheck()
    },
  })
  return { ...ground, committer, notifier, announcer, dispatcher, leaseKeeper, reclaimer, watcher }
}

function buildDispatcher(ground: Ground, committer: Committer, announcer: Announcer): Dispatcher {
  const { config, pool, presence, clock, random, logger, inspector } = ground
  return new Dispatcher({
    pool,
    committer,
    clock,
    random,
    logger,
    inspector,
    owner: presence.owner,
    leaseDurationMs: config.leaseDurationMs,
    queues: config.queues,
    defaults: config,
    listener: announcer,
    failed: (error) => ground.failed('dispatcher', error),
  })
}
