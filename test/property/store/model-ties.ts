/** The part of the model that is about ties between jobs: unique keys, follow-ups, dependencies, children. */
import { dependencyError } from '../../../src/job/flow.ts'
import type { NewJob } from '../../../src/job/new-job.ts'
import { isTerminal } from '../../../src/job/state.ts'
import type { UniqueHold } from '../../../src/job/unique-key.ts'
import type {
  EnqueueAnswer,
  EnqueueCommand,
  EnqueueRefusal,
  EnqueueResult,
  Placement,
} from '../../../src/persistence/commands/enqueue.ts'
import type { JobRow } from '../../../src/persistence/job-row.ts'
import type { Model, ModelJob } from './model.ts'

/** What ties a job to others. None of it is seen in its row. */
export interface Ties {
  hold: UniqueHold | null
  holdsKey: boolean
  keyUntil: number | null
  followKey: string | null
  needs: readonly string[]
  ifFailed: 'run' | 'discard' | 'cancel'
  replacedBy: string | null
}

/** What children have from their parent. */
type Family = Pick<JobRow, 'parent' | 'root' | 'correlationId'>

type Admitted = { readonly id: string; readonly kind: string; readonly result: EnqueueResult } | EnqueueRefusal

/** Inserts all jobs or, where one is refused, none. */
export function runEnqueue(model: Model, { jobs, now, depthMax }: EnqueueCommand, repeated: boolean): EnqueueAnswer {
  const draft: Model = model.map((job) => ({ ...job }))
  const placed: Placement[] = []
  const standIns = new Map<string, string>()
  for (const [index, job] of jobs.entries()) {
    const admitted = admit(draft, job, { now, repeated, family: null, before: jobs.slice(0, index), standIns })
    if ('reason' in admitted) return { type: 'refused', refusal: admitted }
    if (admitted.result !== 'new')
      placed.push({ index, jobId: admitted.id as NewJob['id'], kind: admitted.kind, result: admitted.result })
  }
  if (draft.length > model.length) {
    for (const [queue, max] of Object.entries(depthMax ?? {})) {
      const added = jobs.filter((job) => job.queue === queue).length
      const depth = draft.filter((job) => job.queue === queue && job.state === 'ready' && !job.isSuspect).length
      if (added > 0 && depth > max) return { type: 'refused', refusal: { reason: 'full', queue, depthMax: max, adds: added } }
    }
  }
  model.splice(0, model.length, ...draft)
  return {
    type: 'enqueued',
    ...(placed.length > 0 && { placed }),
  }
}

/** Inserts what a handler enqueued; a child that is refused is left out. */
export function runChildren(model: Model, parent: ModelJob, children: readonly NewJob[], now: number): void {
  const family = { parent: parent.id, root: parent.root ?? parent.id, correlationId: parent.correlationId }
  const standIns = new Map<string, string>()
  children.forEach((child, index) => {
    admit(model, child, { now, repeated: false, family, before: children.slice(0, index), standIns })
  })
}

interface Circumstances {
  readonly now: number
  readonly repeated: boolean
  readonly family: Family | null
  /** The jobs of the command that stand before this one. */
  readonly before: readonly NewJob[]
  readonly standIns: Map<string, string>
}

function admit(model: Model, job: NewJob, circumstances: Circumstances): Admitted {
  const { now, repeated, standIns } = circumstances
  const there = model.find(({ id }) => id === job.id)
  if (there !== undefined) return { id: job.id, kind: job.kind, result: there.followKey === null ? 'new' : 'follow-up' }
  const { unique } = job
  if (unique === undefined) return insert(model, job, circumstances, 'new')
  const standsFor = ({ id, kind }: ModelJob, result: EnqueueResult): Admitted => {
    standIns.set(job.id, id)
    return { id, kind, result }
  }
  const replaced = repeated ? model.find(({ replacedBy }) => replacedBy === job.id) : undefined
  if (replaced !== undefined) return standsFor(replaced, 'replaced')
  const holder = holderNow(model, unique.key, now)
  if (holder === undefined) return insert(model, job, circumstances, 'new')
  const duplicate: EnqueueRefusal = { reason: 'duplicate', kind: job.kind, key: unique.key, holder: holder.id }
  const last = model.find(({ followKey }) => followKey === unique.key) ?? holder
  const takeOver = () => {
    holder.holdsKey = false
    return insert(model, job, circumstances, 'new')
  }
  const replaceLast = (): Admitted => {
    if (last.kind !== job.kind) return duplicate
    replace(last, job)
    return standsFor(last, 'replaced')
  }
  const over = isTerminal(holder.state)
  if (unique.conflict === 'reject') return duplicate
  if (unique.conflict === 'reuse') return standsFor(holder, 'existing')
  if (unique.conflict === 'reuse-completed')
    return over && holder.state !== 'completed' ? takeOver() : standsFor(holder, 'existing')
  if (unique.conflict === 'replace') return over || holder.state === 'running' ? duplicate : replaceLast()
  if (over) return takeOver()
  return holder.state === 'running' && last === holder ? insert(model, job, circumstances, 'follow-up') : replaceLast()
}

/** Who holds a key, once those whose time has passed have let go of it. */
export function holderNow(model: Model, key: string, now: number): ModelJob | undefined {
  for (;;) {
    const holder = model.find(({ uniqueKey, holdsKey }) => holdsKey && uniqueKey === key)
    if (holder === undefined || holder.keyUntil === null || holder.keyUntil > now) return holder
    holder.holdsKey = false
    handOver(model, key, now)
  }
}

function handOver(model: Model, key: string, now: number): void {
  const heir = model.find(({ followKey }) => followKey === key)
  if (heir === undefined) return
  Object.assign(heir, { state: 'ready', followKey: null, holdsKey: heir.keyUntil === null || heir.keyUntil > now })
}

function dueAt(job: NewJob, createdAt: number): number {
  return Math.min(job.runAt, createdAt + (job.unique?.maxWaitMs ?? Number.POSITIVE_INFINITY))
}

function replace(target: ModelJob, job: NewJob): void {
  const { queue, group, priority, timeoutMs, backoff, input } = job
  const attemptsMax =
    target.attempt === 0 ? job.attemptsMax : Math.max(job.attemptsMax ?? target.attemptsMax ?? 0, target.attempt + 1)
  const correlationId = job.correlationId ?? target.correlationId
  Object.assign(target, { queue, group, priority, timeoutMs, backoff, input, attemptsMax, correlationId })
  Object.assign(target, { runAt: dueAt(job, target.createdAt), replacedBy: job.id })
}

function insert(model: Model, given: NewJob, circumstances: Circumstances, result: 'new' | 'follow-up'): Admitted {
  const { now, family, before, standIns } = circumstances
  const { unique, after, correlationId, ...job } = given
  const needed: (ModelJob | string)[] = (after?.jobs === 'batch' ? before.map(({ id }) => id) : (after?.jobs ?? [])).map((id) => {
    const actual = standIns.get(id) ?? id
    return model.find((other) => other.id === actual) ?? id
  })
  const missing = needed.find((other) => typeof other === 'string')
  if (missing !== undefined && family === null)
    return { reason: 'dependency-missing', kind: job.kind, needed: missing as NewJob['id'] }
  const present = needed.filter((other) => typeof other !== 'string')
  const needs = present.filter(({ state }) => !isTerminal(state)).map(({ id }) => id)
  const row: ModelJob = {
    ...job,
    runAt: dueAt(given, now),
    state: result === 'follow-up' || needs.length > 0 ? 'suspended' : 'ready',
    ...unborn,
    logs: [],
    history: [],
    wasSuspect: false,
    ran: undefined,
    createdAt: now,
    uniqueKey: unique?.key ?? null,
    parent: family?.parent ?? null,
    root: family?.root ?? null,
    correlationId: correlationId ?? family?.correlationId ?? null,
    hold: unique?.hold ?? null,
    holdsKey: unique !== undefined && result === 'new',
    keyUntil: unique?.until ?? null,
    followKey: result === 'follow-up' ? (unique?.key ?? null) : null,
    needs,
    ifFailed: after?.ifFailed ?? 'discard',
  }
  model.push(row)
  const failed = present.find(({ state }) => isTerminal(state) && state !== 'completed')
  if (row.ifFailed !== 'run' && (missing !== undefined || failed !== undefined)) {
    failUnrun(row, missing === undefined ? (failed as ModelJob) : { id: missing as string, state: null }, now)
    endTies(model, row, now)
  }
  return { id: job.id, kind: job.kind, result }
}

function failUnrun(job: ModelJob, needed: Parameters<typeof dependencyError>[0], now: number): void {
  const { id, kind, state } = needed
  job.state = job.ifFailed === 'cancel' ? 'cancelled' : 'discarded'
  job.error = dependencyError(kind === undefined ? { id, state } : { id, kind, state })
  job.settledAt = now
}

/** What the end of a job does to others: to those nearest to it first. */
export function endTies(model: Model, first: ModelJob, now: number): void {
  const over = [first]
  for (const job of over) {
    job.followKey = null
    job.needs = []
    freeKey(model, job, now)
    for (const dependent of model.filter(({ needs }) => needs.includes(job.id))) {
      dependent.needs = dependent.needs.filter((id) => id !== job.id)
      if (job.state !== 'completed' && dependent.ifFailed !== 'run') {
        failUnrun(dependent, job, now)
        over.push(dependent)
      } else if (dependent.needs.length === 0) dependent.state = 'ready'
    }
  }
}

function freeKey(model: Model, job: ModelJob, now: number): void {
  const key = job.uniqueKey
  if (!job.holdsKey || key === null) return
  const keeps = job.hold === 'window' || (job.hold === 'completed' && job.state === 'completed')
  if (keeps && !model.some(({ followKey }) => followKey === key)) return
  job.holdsKey = false
  handOver(model, key, now)
}

/** What is the same for every job that was never claimed. */
const unborn = {
  attempt: 0,
  token: 0 as JobRow['token'],
  owner: null,
  claimNumber: null,
  claimPlace: 0,
  leaseExpiresAt: null,
  cancelRequested: false,
  crashes: 0,
  crashLog: [],
  isSuspect: false,
  progress: null,
  progressNote: null,
  result: null,
  error: null,
  tick: null,
  claimedAt: null,
  settledAt: null,
  settled: null,
  cancelledAt: null,
  lostOwner: null,
  replacedBy: null,
} as const
