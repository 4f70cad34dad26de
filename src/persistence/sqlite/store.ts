/**
 * The SQLite store: one connection, every statement prepared once, every list of commands in one transaction. All work is
 * synchronous, so two calls never interleave; the promises are the seam's, for stores that are not.
 */
import type { Database } from 'better-sqlite3'
import { ReeveError } from '../../errors.ts'
import type { Answer, Command } from '../commands/command.ts'
import type { Store } from '../store.ts'
import { prepareAttempts } from './attempts.ts'
import { prepareBreakerList, prepareCloseBreaker } from './breakers.ts'
import { prepareCancel } from './cancel.ts'
import { prepareClaim } from './claim.ts'
import { prepareDeclareLimits } from './declare-limits.ts'
import { prepareDeclareSchedules, prepareSteerSchedule } from './declare-schedules.ts'
import { prepareEmit } from './emit.ts'
import { prepareEnqueue } from './enqueue.ts'
import { prepareKeepEvents, preparePruneEvents } from './event-log.ts'
import { watchFile } from './file-identity.ts'
import { prepareFireSchedule, prepareTriggerSchedule } from './fire-schedule.ts'
import { prepareKeyValue } from './key-value.ts'
import { prepareLock, prepareLockHolder, prepareUnlock } from './lock.ts'
import { prepareLog } from './log.ts'
import { onWrite } from './on-write.ts'
import { preparePause, preparePauses, prepareResume } from './pause.ts'
import { prepareProgress } from './progress.ts'
import { preparePrune } from './prune.ts'
import { prepareCounts } from './queries/counts.ts'
import { prepareDepth } from './queries/depth.ts'
import { prepareEvents } from './queries/events.ts'
import { prepareHolderOf } from './queries/holder.ts'
import { prepareKindCounts } from './queries/kind-counts.ts'
import { prepareListing } from './queries/listing.ts'
import { prepareLogs } from './queries/logs.ts'
import { prepareQueries } from './queries.ts'
import { prepareReclaim } from './reclaim.ts'
import { prepareRenew } from './renew.ts'
import { prepareScheduleQueries } from './schedule-columns.ts'
import { prepareSettle } from './settle.ts'
import { prepareShrink } from './shrink.ts'
import { databaseError } from './sqlite-error.ts'
import { prepareSteer } from './steer.ts'
import { prepareStep } from './step.ts'
import { prepareStepRows } from './step-list.ts'
import { runTransaction } from './transaction.ts'
import { prepareWaits, prepareWake } from './wake.ts'

/** A store on a SQLite file. */
export interface SqliteStore extends Store {
  /** The absolute path of the file. */
  readonly file: string
}

/** Makes the store on a connection that `openDatabase` made, and takes it over: `close` closes it. */
export function createSqliteStore(db: Database): SqliteStore {
  const file = db.name
  const answer = prepareCommands(db)
  const queries = prepareQueries(db)
  const counts = prepareCounts(db)
  const kindCounts = prepareKindCounts(db)
  const holderOf = prepareHolderOf(db)
  const jobs = prepareListing(db)
  const depths = prepareDepth(db)
  const logs = prepareLogs(db)
  const schedules = prepareScheduleQueries(db)
  const events = prepareEvents(db)
  const stepRows = prepareStepRows(db)
  const pendingWaits = prepareWaits(db)
  const attempts = prepareAttempts(db)
  const shrink = prepareShrink(db)
  const lockHolder = prepareLockHolder(db)
  const gates = { pauses: preparePauses(db), breakers: prepareBreakerList(db) }
  const displaced = watchFile(file)
  const checkpoint = prepareCheckpoint(db)

  const guarded = <T>(work: () => T): T => {
    if (!db.open) throw new ReeveError('REEVE_RUNTIME_CLOSED', `The store on ${file} is closed.`)
    try {
      return work()
    } catch (error) {
      throw databaseError(error, file)
    }
  }
  return {
    file,
    enforces: { globalLimits: true },
    async commit(commands, { repeated = false } = {}) {
      if (commands.length === 0) return []
      return guarded(() => runTransaction(db, file, () => commands.map((command) => answer(command, repeated))))
    },
    job: async (id) => guarded(() => queries.job(id)),
    counts: async () => guarded(counts),
    holderOf: async (uniqueKey, now) => guarded(() => holderOf(uniqueKey, now)),
    jobs: async (query) => guarded(() => jobs(query)),
    kindCounts: async (after, lookMax) => guarded(() => kindCounts(after, lookMax)),
    depth: async (now, queue) => guarded(() => depths.depth(now, queue)),
    oldestDueAt: async (now, queue) => guarded(() => depths.oldestDueAt(now, queue)),
    steps: async (id) => guarded(() => stepRows(id)),
    pendingWaits: async () => guarded(pendingWaits),
    finished: async (ids) => guarded(() => queries.finished(ids)),
    events: async (query) => guarded(() => events.events(query)),
    oldEvents: async (now, limit) => guarded(() => events.oldEvents(now, limit)),
    logs: async (query) => guarded(() => logs(query)),
    cancelRequests: async (owner) => guarded(() => queries.cancelRequests(owner)),
    violations: async () => guarded(() => queries.violations()),
    lockHolder: async (name, now) => guarded(() => lockHolder(name, now)),
    attempts: async (id) => guarded(() => attempts(id)),
    otherOwners: async (owner) => guarded(() => queries.otherOwners(owner)),
    overdueOwners: async (owner, now) => guarded(() => queries.overdueOwners(owner, now)),
    schedules: async () => guarded(() => schedules.schedules()),
    schedule: async (name) => guarded(() => schedules.schedule(name)),
    scheduleSkips: async (name) => guarded(() => schedules.skips(name)),
    dueSchedules: async (kinds, now) => guarded(() => schedules.due(kinds, now)),
    breakers: async (now) => guarded(() => gates.breakers(now)),
    pauses: async (now) => guarded(() => gates.pauses(now)),
    changedElsewhere: () => guarded(() => queries.changedElsewhere()),
    displaced,
    onWrite: (wrote) => onWrite(file, wrote),
    checkpoint: async () => guarded(checkpoint),
    shrink: async () => guarded(shrink),
    // The last connection to a file checkpoints its log and removes it.
    close: async () => void db.close(),
  }
}

/**
 * It waits for readers and writers no longer than the busy timeout, and leaves the rest for the next time. Others take a log
 * that was cut back for a commit, so it is left alone where this connection has written nothing: two idle runtimes would
 * wake each other for ever.
 */
function prepareCheckpoint(db: Database): () => void {
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck()
  let folded = 0
  return () => {
    const written = changes.get() ?? 0
    if (written === folded) return
    const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[]
    if (result?.busy === 0) folded = written
  }
}

/** How this store runs a command; `repeated` says that an earlier run of it may have taken effect. */
type Run<T extends Command['type']> = (command: Extract<Command, { type: T }>, repeated: boolean) => Answer

function prepareCommands(db: Database): (command: Command, repeated: boolean) => Answer {
  const verbs: { readonly [T in Command['type']]: Run<T> } = {
    enqueue: prepareEnqueue(db),
    claim: prepareClaim(db),
    renew: prepareRenew(db),
    settle: prepareSettle(db),
    progress: prepareProgress(db),
    'key-value': prepareKeyValue(db),
    lock: prepareLock(db),
    unlock: prepareUnlock(db),
    log: prepareLog(db),
    'keep-events': prepareKeepEvents(db),
    'prune-events': preparePruneEvents(db),
    cancel: prepareCancel(db),
    step: prepareStep(db),
    emit: prepareEmit(db),
    wake: prepareWake(db),
    'declare-limits': prepareDeclareLimits(db),
    pause: preparePause(db),
    resume: prepareResume(db),
    'close-breaker': prepareCloseBreaker(db),
    reclaim: prepareReclaim(db),
    'declare-schedules': prepareDeclareSchedules(db),
    'steer-schedule': prepareSteerSchedule(db),
    'trigger-schedule': prepareTriggerSchedule(db),
    'fire-schedule': prepareFireSchedule(db),
    prune: preparePrune(db),
    steer: prepareSteer(db),
  }
  return (command, repeated) => (verbs[command.type] as Run<Command['type']>)(command as never, repeated)
}
