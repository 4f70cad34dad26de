/** One simulated process: the real supervisor, actors and host over a simulated pool, clock, presence and store. */
import type { ServiceLogger } from '../../../src/actors/service-logger.ts'
import { noInspector } from '../../../src/actors/stack-inspector.ts'
import { type Clock, coarseClock } from '../../../src/clock.ts'
import type { OwnerId } from '../../../src/job/lease.ts'
import type { ChildRecord } from '../../../src/persistence/child-record.ts'
import type { Presence } from '../../../src/persistence/presence.ts'
import type { Store } from '../../../src/persistence/store.ts'
import { childrenOf } from '../../../src/supervisor/children.ts'
import type { SupervisorConfig } from '../../../src/supervisor/config.ts'
import { Host } from '../../../src/supervisor/host.ts'
import type { SupervisorMessage } from '../../../src/supervisor/messages.ts'
import { buildServices, type Services } from '../../../src/supervisor/services.ts'
import { StackQuestions } from '../../../src/supervisor/stack-questions.ts'
import { Supervisor } from '../../../src/supervisor/supervisor.ts'
import type { ThreadPool } from '../../../src/threads/thread-pool.ts'

/** The options of every simulated process. */
export const simConfig: SupervisorConfig = {
  databasePath: 'simulated',
  durability: 'process',
  retention: [],
  jobsUrl: 'file:///simulated.ts',
  watch: false,
  threads: 2,
  queues: null,
  queueLimits: {},
  resources: {},
  queueDepths: {},
  leaseDurationMs: 6_000,
  eventKeepMs: 60_000,
  loadTimeoutMs: 1_000,
  timeoutMs: Number.POSITIVE_INFINITY,
  timeoutGraceMs: 0,
  stopGraceMs: 500,
  killWaitMs: 2_000,
  condemnedMax: 2,
  onCondemned: 'wait',
  inspectMs: 0,
  watchdogMs: 10_000,
  crashesMax: 3,
  attemptsMax: 3,
  payloadBytesMax: 1_000_000,
  niceness: 0,
  logLevel: 'silent',
  jobLogs: null,
  eventLog: undefined,
  heapMb: null,
  maxExternalMb: null,
}

const quiet = () => undefined

/** Simulated processes have no child processes. */
const noChildren: ChildRecord = { started: async () => undefined, ended: async () => undefined, of: async () => [] }

/** A logger that says nothing. */
export const silentLogger: ServiceLogger = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, fatal: quiet }

export interface SimOwnerOptions {
  readonly id: OwnerId
  readonly store: Store
  readonly presence: Presence
  readonly pool: ThreadPool
  readonly clock: Clock
  readonly told: (message: SupervisorMessage) => void
  readonly escalated: (error: unknown) => void
  /** A wrong supervisor is made here. */
  readonly alter: (services: Services) => void
}

/** A process that can be started, spoken to, and killed. */
export class SimOwner {
  readonly id: OwnerId
  readonly services: Services
  readonly host: Host
  readonly #supervisor: Supervisor
  state: 'starting' | 'up' | 'draining' | 'closed' | 'dead' = 'starting'

  constructor(options: SimOwnerOptions) {
    const { id, store, presence, pool, clock, told, escalated, alter } = options
    this.id = id
    this.services = buildServices({
      config: simConfig,
      store,
      presence,
      children: noChildren,
      pool,
      clock,
      coarse: coarseClock(clock),
      random: { next: () => 0.5, id: () => 'unused' },
      logger: silentLogger,
      inspector: noInspector,
      outbox: {
        ended: (ends) => told({ type: 'ended', ends }),
        missing: (ids) => told({ type: 'missing', ids }),
        events: (events) => told({ type: 'events', events }),
      },
      trouble: quiet,
      reloaded: quiet,
      watchFiles: null,
      failed: (child, error) => void this.#supervisor.childFailed(child, error),
    })
    alter(this.services)
    this.#supervisor = new Supervisor({
      children: childrenOf(this.services),
      clock,
      logger: silentLogger,
      escalate: escalated,
    })
    this.host = new Host({
      services: this.services,
      send: told,
      questions: new StackQuestions({ boundMs: 0, clock, send: told }),
      close: () => this.#supervisor.stop(),
    })
  }

  get isAlive(): boolean {
    return this.state !== 'dead' && this.state !== 'closed'
  }

  async start(): Promise<void> {
    await this.#supervisor.start()
    if (this.state === 'starting') this.state = 'up'
  }
}
