/**
 * Builds the actors of one runtime and wires them to each other. Building starts nothing: `children.ts` says in
 * which order they start and stop.
 */
import { Aftermath } from '../actors/aftermath.ts'
import { Announcer } from '../actors/announcer.ts'
import { Asker } from '../actors/asker.ts'
import { Caretaker } from '../actors/caretaker.ts'
import { Committer } from '../actors/committer.ts'
import type { DispatchListener } from '../actors/dispatch-listener.ts'
import type { Dispatcher } from '../actors/dispatcher.ts'
import { EventFeed } from '../actors/event-feed.ts'
import { EventLog } from '../actors/event-log.ts'
import { Gauge } from '../actors/gauge.ts'
import { JobWatch, type WatchFiles } from '../actors/job-watch.ts'
import { LeadDispatcher } from '../actors/lead-dispatcher.ts'
import { LeaseKeeper } from '../actors/lease-keeper.ts'
import { LimitKeeper } from '../actors/limit-keeper.ts'
import { tellAll } from '../actors/listeners.ts'
import { LockLine } from '../actors/lock-line.ts'
import { LookGate } from '../actors/look-gate.ts'
import { Notifier, type Outbox } from '../actors/notifier.ts'
import { OverdueWatch } from '../actors/overdue-watch.ts'
import { Pruner } from '../actors/pruner.ts'
import { Reclaimer } from '../actors/reclaimer.ts'
import { Reloader } from '../actors/reloader.ts'
import { Scheduler } from '../actors/scheduler.ts'
import type { ServiceLogger } from '../actors/service-logger.ts'
import type { StackInspector } from '../actors/stack-inspector.ts'
import { Waker } from '../actors/waker.ts'
import { Watcher } from '../actors/watcher.ts'
import type { Clock } from '../clock.ts'
import type { ReeveError } from '../errors.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import type { KindCatalog } from '../job/kind.ts'
import type { ReloadReport } from '../job/reload-report.ts'
import { isTerminal } from '../job/state.ts'
import type { ChildRecord } from '../persistence/child-record.ts'
import type { Presence } from '../persistence/presence.ts'
import type { Store } from '../persistence/store.ts'
import type { Random } from '../random.ts'
import { encodeError } from '../threads/error-codec.ts'
import type { ThreadPool } from '../threads/thread-pool.ts'
import { catalogChanged } from './catalog-changed.ts'
import type { SupervisorConfig } from './config.ts'
import { endOrphans } from './orphans.ts'

/** The names of the children, as logs and the restart rules use them. */
export type ChildName =
  | 'store'
  | 'presence'
  | 'committer'
  | 'event-log'
  | 'lock-line'
  | 'notifier'
  | 'reclaimer'
  | 'job-watch'
  | 'pool'
  | 'limits'
  | 'dispatcher'
  | 'waker'
  | 'lease-keeper'
  | 'scheduler'
  | 'watcher'
  | 'caretaker'
  | 'pruner'

/** What the actors stand on: the real parts in a runtime, simulated ones in the properties. */
export interface Ground {
  readonly config: SupervisorConfig
  readonly store: Store
  readonly presence: Presence
  readonly children: ChildRecord
  readonly pool: ThreadPool
  readonly clock: Clock
  /** For what looks around again and again. */
  readonly coarse: Clock
  readonly random: Random
  readonly logger: ServiceLogger
  readonly outbox: Outbox
  /** Watches the files of the jobs; null where nobody asked for it. */
  readonly watchFiles: WatchFiles | null
  readonly inspector: StackInspector
  /** The jobs were loaded anew. */
  readonly reloaded: (report: ReloadReport) => void
  /** Something went wrong that no call can be told of. */
  readonly trouble: (error: ErrorRecord) => void
  /** A child cannot go on. */
  readonly failed: (child: ChildName, error: unknown) => void
}

/** All actors of one runtime. */
export interface Services extends Ground {
  readonly committer: Committer
  readonly notifier: Notifier
  readonly announcer: Announcer
  readonly gauge: Gauge
  readonly eventFeed: EventFeed
  readonly eventLog: EventLog
  readonly lockLine: LockLine
  readonly limitKeeper: LimitKeeper
  readonly dispatcher: LeadDispatcher
  readonly waker: Waker
  readonly leaseKeeper: LeaseKeeper
  readonly reclaimer: Reclaimer
  readonly reloader: Reloader
  readonly scheduler: Scheduler
  readonly jobWatch: JobWatch
  readonly watcher: Watcher
  readonly caretaker: Caretaker
  readonly pruner: Pruner
}

/** Builds all actors over the given ground. */
export function buildServices(ground: Ground): Services {
  const { store, presence, clock, coarse, logger, outbox } = ground
  const failed = (child: ChildName) => (error: unknown) => ground.failed(child, error)
  const { owner } = presence
  const eventFeed = new EventFeed({ store, clock })
  const committer = new Committer({
    store,
    clock,
    logger,
    committed(answers) {
      eventFeed.recheck()
      lockLine.look()
      aftermath.of(answers)
    },
  })
  const lockLine: LockLine = new LockLine({
    store,
    committer,
    clock,
    owner,
    released: () => dispatcher.wake(),
    failed: failed('lock-line'),
  })
  const { eventLog: wanted } = ground.config
  const eventLog = new EventLog({ store, committer, clock: coarse, wanted, failed: failed('event-log') })
  const notifier = new Notifier({ store, clock, outbox, failed: failed('notifier') })
  const announcer = new Announcer({ notifier, logger, clock })
  const gauge = new Gauge({ clock })
  const waker: Waker = new Waker({ store, committer, clock, woke: () => dispatcher.wake(), failed: failed('waker') })
  const listener = tellAll([gauge, announcer, waker])
  const dispatcher = buildDispatcher(ground, committer, listener, new Asker({ committer, clock, locks: lockLine }))
  const aftermath = new Aftermath({ store, notifier, announcer, wake: () => dispatcher.wake(), failed: failed('notifier') })
  const reclaimer = buildReclaimer(ground, { committer, dispatcher, aftermath })
  const leaseKeeper = new LeaseKeeper({
    committer,
    clock,
    owner,
    leaseDurationMs: ground.config.leaseDurationMs,
    leases: () => dispatcher.leases(),
    lost: (leases) => dispatcher.leasesLost(leases),
    failed: failed('lease-keeper'),
  })
  const scheduler = buildScheduler(ground, committer, dispatcher, announcer)
  const watcher = buildWatcher(ground, { leaseKeeper, dispatcher, waker, scheduler }, () => {
    notifier.recheck()
    eventFeed.recheck()
    lockLine.look()
  })
  const caretaker = buildCaretaker(ground, committer, dispatcher)
  const pruner = new Pruner({
    ...{ store, committer, clock: coarse, logger, owner },
    bounds: ground.config.retention,
    failed: failed('pruner'),
  })
  const telling = { notifier, announcer, gauge, eventFeed, eventLog }
  const around = {
    reclaimer,
    ...buildReloading(ground, { committer, dispatcher, scheduler }),
    scheduler,
    watcher,
    caretaker,
    pruner,
  }
  return { ...ground, ...telling, lockLine, committer, dispatcher, waker, leaseKeeper, ...around }
}

function buildReclaimer(
  ground: Ground,
  { committer, dispatcher, aftermath }: Pick<Services, 'committer' | 'dispatcher'> & { readonly aftermath: Aftermath },
): Reclaimer {
  const { store, presence, coarse, clock, logger } = ground
  return new Reclaimer({
    store,
    presence,
    committer,
    clock: coarse,
    logger,
    crashesMax: ground.config.crashesMax,
    endOrphans: (dead) => endOrphans(ground.children, dead, clock, logger),
    failed: (error) => ground.failed('reclaimer', error),
    reclaimed({ jobs }) {
      dispatcher.wake()
      aftermath.ended(jobs.filter(({ state }) => isTerminal(state)).map(({ id }) => id))
    },
  })
}

function buildWatcher(
  ground: Ground,
  { leaseKeeper, dispatcher, waker, scheduler }: Pick<Services, 'leaseKeeper' | 'dispatcher' | 'waker' | 'scheduler'>,
  changed: () => void,
): Watcher {
  const { store, presence, coarse: clock, logger } = ground
  return new Watcher({
    store,
    clock,
    owner: presence.owner,
    failed: (error) => ground.failed('watcher', error),
    cancelRequested: (lease) => dispatcher.cancel(lease),
    jumped(ms) {
      logger.warn({ ms }, 'the wall clock has jumped')
      leaseKeeper.renewNow()
      dispatcher.wake()
      waker.look()
      scheduler.look()
    },
    changed() {
      dispatcher.wake()
      waker.look()
      scheduler.look()
      changed()
    },
  })
}

function buildReloading(
  ground: Ground,
  { committer, dispatcher, scheduler }: Pick<Services, 'committer' | 'dispatcher' | 'scheduler'>,
): Pick<Services, 'reloader' | 'jobWatch' | 'limitKeeper'> {
  const { config } = ground
  const limitKeeper = new LimitKeeper({ ...ground, ...config, committer, runsJobs: config.threads > 0 })
  const changed = (catalog: KindCatalog) => catalogChanged({ dispatcher, scheduler, limitKeeper }, catalog)
  const reloader = new Reloader({ ...ground, changed })
  return { limitKeeper, reloader, jobWatch: new JobWatch({ ...ground, reload: () => reloader.reload() }) }
}

function buildCaretaker(ground: Ground, committer: Committer, dispatcher: Dispatcher): Caretaker {
  const { store, presence, coarse: clock, logger } = ground
  const tell = (error: ReeveError) => ground.trouble(encodeError(error))
  return new Caretaker({
    store,
    committer,
    clock,
    logger,
    overdueWatch: new OverdueWatch({ store, owner: presence.owner, clock, logger, overdue: tell }),
    displaced: tell,
    replaced: () => dispatcher.wake(),
    failed: (error) => ground.failed('caretaker', error),
  })
}

function buildScheduler(ground: Ground, committer: Committer, dispatcher: Dispatcher, announcer: Announcer): Scheduler {
  const { store, clock, random, logger, presence } = ground
  return new Scheduler({
    store,
    committer,
    clock,
    random,
    logger,
    owner: presence.owner,
    fired: () => dispatcher.wake(),
    stop: (lease) => dispatcher.cancel(lease),
    cancelled: (job) => announcer.cancelled(job),
    failed: (error) => ground.failed('scheduler', error),
  })
}

function buildDispatcher(ground: Ground, committer: Committer, listener: DispatchListener, asker: Asker): LeadDispatcher {
  const { config, pool, presence, clock, random, logger, inspector } = ground
  return new LeadDispatcher({
    pool,
    committer,
    clock,
    random,
    logger,
    inspector: new LookGate(inspector, clock),
    asker,
    owner: presence.owner,
    leaseDurationMs: config.leaseDurationMs,
    queues: config.queues,
    claimNumbers: { last: 0 },
    jobLogs: config.jobLogs,
    defaults: config,
    listener,
    failed: (error) => ground.failed('dispatcher', error),
  })
}
