/** Commands with the parts that a test does not care about filled in. */

import type { GlobalLimit } from '../../../src/job/declared-limits.ts'
import type { JobId, Lease, LeaseToken, OwnerId } from '../../../src/job/lease.ts'
import type { NewJob } from '../../../src/job/new-job.ts'
import type { Settlement } from '../../../src/job/outcome.ts'
import type { PauseTarget } from '../../../src/job/pause.ts'
import type { CancelCommand } from '../../../src/persistence/commands/cancel.ts'
import type { ClaimAnswer, ClaimCommand, ClaimedJob } from '../../../src/persistence/commands/claim.ts'
import type { AnswerTo, Command } from '../../../src/persistence/commands/command.ts'
import type { DeclareLimitsCommand } from '../../../src/persistence/commands/declare-limits.ts'
import type { EnqueueCommand } from '../../../src/persistence/commands/enqueue.ts'
import type { PauseCommand, ResumeCommand } from '../../../src/persistence/commands/pause.ts'
import type { ProgressCommand } from '../../../src/persistence/commands/progress.ts'
import type { ReclaimCommand } from '../../../src/persistence/commands/reclaim.ts'
import type { RenewCommand } from '../../../src/persistence/commands/renew.ts'
import type { SettleCommand } from '../../../src/persistence/commands/settle.ts'
import type { Store } from '../../../src/persistence/store.ts'

/** The moment at which tests begin; small enough to read in a failure. */
export const start = 1_000_000

export const jobId = (name: string): JobId => name as JobId
export const ownerId = (name: string): OwnerId => name as OwnerId
export const lease = (name: string, token: number): Lease => ({ jobId: jobId(name), token: token as LeaseToken })

export function newJob(name: string, given: Partial<NewJob> = {}): NewJob {
  return {
    id: jobId(name),
    kind: 'resize',
    queue: 'default',
    group: null,
    priority: 0,
    runAt: start,
    input: '{"width":200}',
    timeoutMs: null,
    attemptsMax: null,
    backoff: null,
    ...given,
  }
}

export const enqueue = (...jobs: NewJob[]): EnqueueCommand => ({ type: 'enqueue', now: start, jobs })

/** Claim numbers are used once, as the seam asks; a test that repeats a claim repeats the command. */
let claims = 0

export function claim(given: Partial<ClaimCommand> = {}): ClaimCommand {
  return {
    type: 'claim',
    now: start,
    owner: ownerId('ann'),
    claimNumber: ++claims,
    leaseExpiresAt: (given.now ?? start) + 10_000,
    limit: 10,
    ahead: 0,
    alone: false,
    queues: null,
    queuesExcluded: [],
    breakers: [],
    groupMax: null,
    localLimits: [],
    attemptsMaxByKind: {},
    attemptsMaxDefault: 3,
    ...given,
  }
}

export const settle = (of: Lease, settlement: Settlement, now = start): SettleCommand => ({
  type: 'settle',
  now,
  lease: of,
  settlement,
})

export const renew = (leases: readonly Lease[], given: Partial<RenewCommand> = {}): RenewCommand => ({
  type: 'renew',
  owner: ownerId('ann'),
  leases,
  leaseExpiresAt: start + 20_000,
  ...given,
})

export const progress = (of: Lease, fraction: number | null, note: string | null = null): ProgressCommand => ({
  type: 'progress',
  lease: of,
  fraction,
  note,
})

export const cancel = (name: string, now = start): CancelCommand => ({ type: 'cancel', now, jobId: jobId(name) })
export const reclaim = (owner: string, now = start, crashesMax = 3): ReclaimCommand => ({
  type: 'reclaim',
  now,
  owner: ownerId(owner),
  crashesMax,
})

/** Declares these limits, and that there are no others of any kind or queue. */
export const declareLimits = (
  ...limits: (Partial<GlobalLimit> & Pick<GlobalLimit, 'scope' | 'name'>)[]
): DeclareLimitsCommand => ({
  type: 'declare-limits',
  now: start,
  limits: limits.map((limit) => ({ ...noLimit, ...limit })),
  kinds: ['resize', 'send'],
  queues: null,
})
const noLimit = { concurrency: null, groupConcurrency: null, rate: null, groupRate: null, resource: null, exclusive: null }

export const pause = (target: PauseTarget, until: number | null = null): PauseCommand => ({
  ...{ type: 'pause', now: start, target, until, reason: null },
})
export const resume = (target: PauseTarget): ResumeCommand => ({ type: 'resume', target })

/** Settlements by name. */
export const complete: Settlement = { type: 'complete', result: '{"path":"a.png"}' }
export const fail = (delayMs = 0): Settlement => ({ type: 'fail', delayMs, error: { name: 'Error', message: 'no' } })
export const discard: Settlement = { type: 'discard', error: { name: 'Error', message: 'never' } }
export const snooze = (delayMs: number): Settlement => ({ type: 'snooze', delayMs })
export const interrupted: Settlement = { type: 'interrupted' }

/** Commits one command and gives its answer. */
export async function ask<C extends Command>(store: Store, command: C, repeated = false): Promise<AnswerTo<C>> {
  const [answer] = await store.commit([command], { repeated })
  return answer as AnswerTo<C>
}

/** Claims the one job that is due, and fails where it is not one. */
export async function claimOne(store: Store, given: Partial<ClaimCommand> = {}): Promise<ClaimedJob & { lease: Lease }> {
  const { jobs }: ClaimAnswer = await ask(store, claim({ limit: 1, ...given }))
  const [job] = jobs
  if (job === undefined) throw new Error('no job was due')
  return { ...job, lease: { jobId: job.id, token: job.token } }
}
