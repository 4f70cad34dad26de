/** A real dispatcher whose pool, committer and clock are in the hands of the test. */

import { Asker } from '../../../src/actors/asker.ts'
import { Dispatcher } from '../../../src/actors/dispatcher.ts'
import { LookGate } from '../../../src/actors/look-gate.ts'
import { noInspector } from '../../../src/actors/stack-inspector.ts'
import type { ClaimedJob } from '../../../src/persistence/commands/claim.ts'
import { jobId, ownerId } from '../store/commands.ts'
import { ManualClock } from './sim-clock.ts'
import { silentLogger } from './sim-owner.ts'
import { StubPool } from './stub-pool.ts'
import { noLocks, StubCommitter } from './stub-store.ts'

/** What a claim says of suspects. */
interface Suspects {
  readonly due?: boolean
  readonly claimed?: boolean
  /** A full limit held something back. */
  readonly limited?: boolean
}

/** Builds one, or one of a class that extends it; it claims nothing before it is started. */
export function openDispatcher({ threads = 2 } = {}, DispatcherClass: typeof Dispatcher = Dispatcher) {
  const clock = new ManualClock()
  const pool = new StubPool(threads)
  const committer = new StubCommitter()
  const failures: unknown[] = []
  const quiet = () => undefined
  const dispatcher = new DispatcherClass({
    ...{ pool, committer, clock, logger: silentLogger, owner: ownerId('ann'), leaseDurationMs: 9_000, queues: null },
    claimNumbers: { last: 0 },
    random: { next: () => 0, id: () => '' },
    inspector: new LookGate(noInspector, clock),
    asker: new Asker({ committer, clock, locks: noLocks }),
    jobLogs: null,
    defaults: {
      ...{ timeoutMs: Number.POSITIVE_INFINITY, timeoutGraceMs: 0, stopGraceMs: 1_000, killWaitMs: 5_000, attemptsMax: 3 },
      loadTimeoutMs: 10_000,
    },
    listener: { started: quiet, progress: quiet, log: quiet, condemned: quiet, settled: quiet, handedBack: quiet },
    failed: (error) => void failures.push(error),
  })
  /** Answers the last claim with these jobs. */
  const claimed = async (names: readonly string[], nextRunAt: number | null = null, suspects: Suspects = {}) => {
    committer
      .of('claim')
      .at(-1)
      ?.answer({
        ...{ type: 'claimed', nextRunAt, suspectsDue: suspects.due ?? false, limited: suspects.limited ?? false },
        jobs: names.map((name) => ({ ...claimedJob(name), isSuspect: suspects.claimed ?? false })),
      })
    await clock.turns()
  }
  const settles = () => committer.of('settle')
  const settled = async (name: string) => {
    settles()
      .findLast(({ lease }) => lease.jobId === name)
      ?.answer({ type: 'settled', state: 'completed', runAt: clock.wall() })
    await clock.turns()
  }
  /** Runs enough short jobs for the dispatcher to read ahead, and leaves all threads idle and a claim under way. */
  const learnShortJobs = async () => {
    dispatcher.start()
    await claimed(['short'])
    pool.returns('short')
    await settled('short')
    pool.frees('short')
    dispatcher.wake()
  }
  return { clock, pool, committer, dispatcher, failures, claimed, settles, settled, learnShortJobs }
}

/** A job as a claim hands it out. */
export function claimedJob(name: string): ClaimedJob {
  return {
    ...{
      id: jobId(name),
      token: 1 as never,
      kind: 'resize',
      queue: 'default',
      group: null,
      priority: 0,
      input: null,
      attempt: 1,
      attemptsMax: 3,
    },
    ...{ timeoutMs: null, backoff: null, createdAt: 0, runAt: 0, isSuspect: false, tick: null },
  }
}
