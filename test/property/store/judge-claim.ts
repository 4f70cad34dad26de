/**
 * Whether a claim was right, by what is plain to see before and after it: which jobs might be taken at each step, and which of
 * them had their turn. It follows the store where several choices are right, and names the promise that a wrong one breaks.
 */
import type { ClaimAnswer, ClaimCommand } from '../../../src/persistence/commands/claim.ts'
import { Broken } from './broken.ts'
import { claimedJob, type Model, type ModelJob } from './model.ts'
import { groupOf, type ModelGates, type Shut } from './model-gates.ts'

/** What a claim is judged with; `lastSides` is, for one handle, which side was taken last where both waited. */
export interface Bar {
  readonly model: Model
  readonly gates: ModelGates
  readonly lastSides: Map<string, 'plain' | 'lanes'>
}

const brokenBy: Readonly<Record<Shut['by'], string>> = {
  pause: 'claim-precondition',
  breaker: 'breaker-respected',
  limit: 'limit-respected',
  'group limit': 'group-exclusive',
  rate: 'limit-respected',
}

/** Applies the claim to the model as the store did it, and gives the answer that it must have given. */
export function judgeClaim(bar: Bar, command: ClaimCommand, actual: ClaimAnswer): ClaimAnswer {
  const { model, gates } = bar
  const { owner, claimNumber, limit, ahead } = command
  gates.begin(command, model)
  const before = model.filter((job) => job.state === 'running' && job.owner === owner && job.claimNumber === claimNumber)
  const taken = before.length > 0 ? before.toSorted((a, b) => a.claimPlace - b.claimPlace) : takeAll(bar, command, actual)
  const jobs = taken.map(claimedJob)
  const left = model.filter((job) => job.state === 'ready' && isInScope(job, command))
  const suspects = left.filter(({ isSuspect }) => isSuspect)
  const suspectsDue = suspects.some((job) => opensAt(bar, job, command, taken) <= command.now)
  if (taken.length === limit + ahead) return { type: 'claimed', jobs, nextRunAt: null, suspectsDue, limited: false }
  const times = left.filter(({ isSuspect }) => !isSuspect).map((job) => opensAt(bar, job, command))
  if (!suspectsDue) times.push(...suspects.map((job) => opensAt(bar, job, command, taken)))
  const nextRunAt = judgeNextRunAt(bar, command, actual.nextRunAt, Math.min(...times), left)
  // One that stopped asks again by itself, and need not have met the limit.
  const mustTell = nextRunAt !== command.now && left.some((job) => isHeldByLimit(bar, job, command))
  if (mustTell && !actual.limited) throw new Broken('wake-not-lost', { command, actual })
  return { type: 'claimed', jobs, nextRunAt, suspectsDue, limited: actual.limited }
}

/** What the store took, step by step. */
function takeAll(bar: Bar, command: ClaimCommand, actual: ClaimAnswer): ModelJob[] {
  const { limit, ahead, alone, now } = command
  const taken: ModelJob[] = []
  const suspects = bar.model.filter((job) => job.isSuspect && isTakeable(bar, job, command))
  if (alone && suspects.length > 0) {
    const [first] = inOrder(suspects)
    if (actual.jobs.length !== 1 || actual.jobs[0]?.id !== first?.id)
      throw new Broken('suspects-run-alone', { command, actual, first })
    return suspects.filter((job) => job === first).map((job) => lease(bar, job, command, 0))
  }
  for (const { id } of actual.jobs) {
    const job = bar.model.find((each) => each.id === id)
    if (job === undefined || job.state !== 'ready' || !isInScope(job, command) || job.runAt > now)
      throw new Broken('claim-precondition', { command, actual, job })
    if (job.isSuspect) throw new Broken('suspects-run-alone', { command, actual, job })
    const [shut] = bar.gates.shut(job, command, bar.model)
    if (shut !== undefined) throw new Broken(brokenBy[shut.by], { command, actual, job, shut })
    const { next, broken } = nextOf(bar, command, job)
    if (!next.includes(job)) throw new Broken(broken, { command, actual, job, next })
    if (taken.length >= limit && mayNotBeAhead(bar, command, job))
      throw new Broken('claim-order', { command, actual, job, ahead })
    noteSide(bar, command, job)
    taken.push(lease(bar, job, command, taken.length))
  }
  const { next } = nextOf(bar, command)
  const mayStop = taken.length >= limit && next.some((job) => mayNotBeAhead(bar, command, job))
  if (taken.length < limit + ahead && next.length > 0 && !mayStop) throw new Broken('no-starvation', { command, actual, next })
  return taken
}

/** The jobs that may be next, and what it would break to take this one instead. */
function nextOf(bar: Bar, command: ClaimCommand, instead?: ModelJob): { next: ModelJob[]; broken: string } {
  const due = bar.model.filter((job) => !job.isSuspect && isTakeable(bar, job, command))
  const priority = Math.max(...due.map((job) => job.priority))
  const atPriority = due.filter((job) => job.priority === priority)
  const plain = inOrder(atPriority.filter(({ group }) => group === null)).slice(0, 1)
  const lanes = firstOfLanes(
    bar,
    command,
    atPriority.filter(({ group }) => group !== null),
  )
  if (instead !== undefined && instead.priority !== priority) return { next: [], broken: 'claim-order' }
  if (plain.length === 0) return { next: lanes, broken: isFirstOfItsGroup(instead, atPriority) ? 'no-starvation' : 'claim-order' }
  if (lanes.length === 0) return { next: plain, broken: 'claim-order' }
  const last = bar.lastSides.get(chooser(command, priority))
  // A handle remembers for as long as it is open, which is longer than this program.
  const next = { plain: lanes, lanes: plain, unknown: [...plain, ...lanes] }[last ?? 'unknown']
  return { next, broken: 'no-starvation' }
}

function isFirstOfItsGroup(job: ModelJob | undefined, due: readonly ModelJob[]): boolean {
  return job !== undefined && inOrder(due.filter(({ queue, group }) => queue === job.queue && group === job.group))[0] === job
}

/** The first job of each lane, of the lanes that were served longest ago. Where the place of a group is not known, any may come. */
function firstOfLanes({ gates }: Bar, { now }: ClaimCommand, due: readonly ModelJob[]): ModelJob[] {
  const sameGroup = (a: ModelJob) => (b: ModelJob) => a.queue === b.queue && a.group === b.group
  const sameLane = (a: ModelJob) => (b: ModelJob) => sameGroup(a)(b) && a.kind === b.kind
  const among = gates.hasGroupRates ? sameLane : sameGroup
  const firsts = due.filter(
    (job) => inOrder(due.filter(gates.unplaced.has(groupOf(job)) ? sameLane(job) : among(job)))[0] === job,
  )
  const dueAt = (job: ModelJob) => Math.max(job.runAt, gates.servedAt(job))
  const placed = firsts.filter((job) => !gates.unplaced.has(groupOf(job)))
  const earliest = Math.min(...placed.map(dueAt))
  return firsts.filter((job) => gates.unplaced.has(groupOf(job)) || dueAt(job) <= earliest || earliest > now + 1_000_000)
}

function noteSide(bar: Bar, command: ClaimCommand, job: ModelJob): void {
  const due = bar.model.filter((each) => !each.isSuspect && each.priority === job.priority && isTakeable(bar, each, command))
  if (!due.some(({ group }) => group === null) || !due.some(({ group }) => group !== null)) return
  bar.lastSides.set(chooser(command, job.priority), job.group === null ? 'plain' : 'lanes')
}

function lease({ model, gates }: Bar, job: ModelJob, command: ClaimCommand, claimPlace: number): ModelJob {
  const { owner, claimNumber, now, leaseExpiresAt } = command
  gates.taken(job, command, model)
  Object.assign(job, { state: 'running', owner, claimNumber, claimPlace, claimedAt: now, leaseExpiresAt })
  Object.assign(job, { token: job.token + 1, attempt: job.attempt + 1, attemptsMax: attemptsMaxOf(job, command) })
  Object.assign(job, { progress: null, progressNote: null })
  return job
}

function attemptsMaxOf(job: ModelJob, command: ClaimCommand): number {
  return job.attemptsMax ?? command.attemptsMaxByKind[job.kind] ?? command.attemptsMaxDefault
}

function mayNotBeAhead({ gates }: Bar, command: ClaimCommand, job: ModelJob): boolean {
  return job.attempt + 1 >= attemptsMaxOf(job, command) || gates.isGated(job, command)
}

/** Exact where nothing but due times decides; else a store may ask to be asked again too early, but not too late. */
function judgeNextRunAt(
  { gates }: Bar,
  command: ClaimCommand,
  actual: number | null,
  exact: number,
  left: ModelJob[],
): number | null {
  const { now, localLimits, groupMax } = command
  const expected = exact === Number.POSITIVE_INFINITY ? null : Math.max(exact, now)
  if ((gates.areOpen(command) && localLimits.length === 0 && groupMax === null) || expected === now) return expected
  const earliest = Math.min(...left.map(({ runAt }) => Math.max(runAt, now + 1)))
  const tooLate = expected !== null && (actual === null || actual > expected)
  const tooEarly = actual !== null && actual < earliest
  return tooLate || tooEarly ? expected : actual
}

/** Whether nothing but a full limit holds it back. */
function isHeldByLimit({ model, gates }: Bar, job: ModelJob, command: ClaimCommand): boolean {
  if (job.isSuspect || job.runAt > command.now) return false
  const shut = gates.shut(job, command, model)
  return shut.length > 0 && shut.every(({ by }) => by === 'limit' || by === 'group limit')
}

function opensAt({ model, gates }: Bar, job: ModelJob, command: ClaimCommand, before: readonly ModelJob[] = []): number {
  return Math.max(job.runAt, ...gates.shut(job, command, model, before).map(({ until }) => until))
}

function isTakeable(bar: Bar, job: ModelJob, command: ClaimCommand): boolean {
  return job.state === 'ready' && isInScope(job, command) && opensAt(bar, job, command) <= command.now
}

function isInScope({ queue }: ModelJob, { queues, queuesExcluded }: ClaimCommand): boolean {
  return (queues?.includes(queue) ?? true) && !queuesExcluded.includes(queue)
}

function chooser({ queues, queuesExcluded, groupMax }: ClaimCommand, priority: number): string {
  return JSON.stringify([queues, queuesExcluded, groupMax, priority])
}

/** By priority, then due time; the sort is stable, so then by insertion. */
function inOrder(jobs: readonly ModelJob[]): ModelJob[] {
  return jobs.toSorted((a, b) => b.priority - a.priority || a.runAt - b.runAt)
}
