/**
 * Gates, said as plainly as can be: what is paused, which limits hold, and which hits a rate has had. Nothing is stored of who
 * holds a limit: that is counted, over all jobs, whenever it is asked.
 */

import type { GlobalLimit } from '../../../src/job/declared-limits.ts'
import type { LocalLimit, Ring } from '../../../src/job/limits.ts'
import type { PauseTarget } from '../../../src/job/pause.ts'
import { isTerminal } from '../../../src/job/state.ts'
import type { ClaimCommand } from '../../../src/persistence/commands/claim.ts'
import type { CloseBreakerAnswer, CloseBreakerCommand } from '../../../src/persistence/commands/close-breaker.ts'
import type { Command } from '../../../src/persistence/commands/command.ts'
import type { DeclareLimitsAnswer, DeclareLimitsCommand } from '../../../src/persistence/commands/declare-limits.ts'
import type { PauseAnswer, PauseCommand, ResumeAnswer, ResumeCommand } from '../../../src/persistence/commands/pause.ts'
import type { SettleCommand } from '../../../src/persistence/commands/settle.ts'
import type { Model, ModelJob } from './model.ts'
import { ModelBreakers } from './model-breakers.ts'

/** Why a job may not be taken, and (where time will tell) when it may. */
export interface Shut {
  readonly by: 'pause' | 'breaker' | 'limit' | 'group limit' | 'rate'
  readonly until: number
}

interface ModelPause {
  readonly until: number
  /** Where it was asked for as a length of time. */
  readonly delayMs: number | null
}

type GateCommand = DeclareLimitsCommand | PauseCommand | ResumeCommand | CloseBreakerCommand
type GateAnswer = DeclareLimitsAnswer | PauseAnswer | ResumeAnswer | CloseBreakerAnswer
const never = Number.POSITIVE_INFINITY

/** Whether a command is about gates alone. */
export function isGateCommand(command: Command): command is GateCommand {
  return ['declare-limits', 'pause', 'resume', 'close-breaker'].includes(command.type)
}

/** The gates of one file. */
export class ModelGates {
  readonly #limits = new Map<string, GlobalLimit>()
  readonly #pauses = new Map<string, ModelPause>()
  readonly #hits = new Map<string, number[]>()
  /** Locks that a job was claimed with: held as long as it runs under that token. */
  readonly #locks = new Map<string, { readonly id: string; readonly token: number }>()
  readonly #breakers = new ModelBreakers()
  /** Groups that something other than its turn may have held back: their place in the order is not known. */
  readonly unplaced = new Set<string>()
  /** By lane. */
  readonly #served = new Map<string, number>()
  #latest = 0
  #byTurns = false

  run(command: GateCommand): GateAnswer {
    if (command.type === 'declare-limits') return this.#declare(command)
    if (command.type === 'close-breaker') {
      this.#breakers.close(command.kind)
      return { type: 'breaker-closed' }
    }
    this.#note(command.target)
    if (command.type === 'resume') {
      this.#pauses.delete(key(command.target))
      return { type: 'resumed' }
    }
    this.#pauses.set(key(command.target), { until: command.until ?? never, delayMs: null })
    return { type: 'paused' }
  }

  /** A settle that took effect. */
  settled(command: SettleCommand, job: ModelJob): void {
    const { settlement, now } = command
    const { queue, group } = job
    if (this.#breakers.settled(command, job)) this.#latest = Math.max(this.#latest, now)
    if (settlement.type !== 'snooze' || settlement.block === undefined) return
    const { scope, delayMs } = settlement.block
    if (scope === 'group' && group === null) return
    const target = scope === 'group' ? { queue, group: group as string } : { queue }
    this.#note(target)
    this.#latest = Math.max(this.#latest, now)
    if ((this.#pauses.get(key(target))?.until ?? 0) >= now + delayMs) return
    this.#pauses.set(key(target), { until: now + delayMs, delayMs })
  }

  /** A claim begins: what was written before the clock was set back is cut to now. */
  begin(command: ClaimCommand, model: Model): void {
    const { now, queues, queuesExcluded, groupMax, localLimits } = command
    const hindered =
      this.#limits.size + this.#pausedAt(now) + queuesExcluded.length + localLimits.length > 0 ||
      queues !== null ||
      groupMax !== null ||
      this.#breakers.hinder(command) ||
      model.some(({ state, group, isSuspect }) => state === 'ready' && group !== null && !isSuspect)
    if (hindered && this.#latest > now + 1_000) {
      this.#latest = now
      this.#breakers.cut(now)
      for (const [lane, served] of this.#served) this.#served.set(lane, Math.min(served, now))
      for (const [name, { until, delayMs }] of this.#pauses) {
        if (delayMs !== null) this.#pauses.set(name, { until: Math.min(until, now + delayMs), delayMs })
      }
      for (const [name, hits] of this.#hits)
        this.#hits.set(
          name,
          hits.map((at) => Math.min(at, now)),
        )
    }
    this.#byTurns = hindered
  }

  /** After each command: a lane is there while a job of it is not over, and was served when it came. */
  keepLanes(model: Model): void {
    const live = model.filter(({ state, group }) => group !== null && !isTerminal(state))
    const lanes = new Set(live.map(laneOf))
    for (const lane of this.#served.keys()) if (!lanes.has(lane)) this.#served.delete(lane)
    for (const job of live.filter((each) => !this.#served.has(laneOf(each)))) {
      const beside = live.find((other) => isSameTurn(other, job) && this.#served.has(laneOf(other)))
      this.#served.set(laneOf(job), beside === undefined ? job.createdAt : this.servedAt(beside))
      this.#latest = Math.max(this.#latest, job.createdAt)
    }
  }

  /** When the group of a job was served last. */
  servedAt(job: ModelJob): number {
    return this.#served.get(laneOf(job)) ?? 0
  }

  /** A job was taken. */
  taken(job: ModelJob, command: ClaimCommand, model: Model): void {
    const { now } = command
    this.#breakers.taken(job, command)
    for (const limit of this.#limitsOf(job)) {
      // It has its new token in a moment.
      for (const name of limit.exclusive ?? []) this.#locks.set(name, { id: job.id, token: job.token + 1 })
      if (limit.rate !== null) this.#hit(rateKey(limit, null), now)
      if (limit.groupRate !== null && job.group !== null) {
        this.#hit(rateKey(limit, job), now)
        this.unplaced.add(groupOf(job))
      }
    }
    if (!this.#byTurns) return
    const isTurn = job.group !== null && !job.isSuspect
    this.#latest = Math.max(now, this.#latest + (isTurn ? 0.001 : 0))
    if (!isTurn) return
    for (const other of model.filter((each) => isSameTurn(each, job)))
      if (this.#served.has(laneOf(other))) this.#served.set(laneOf(other), this.#latest)
  }

  /** Whether any limit or rate is on a job. */
  isGated(job: ModelJob, command: ClaimCommand): boolean {
    const { localLimits } = command
    if (this.#breakers.isOn(job.kind, command)) return true
    return this.#limitsOf(job).length > 0 || localLimits.some((limit) => isOf(job, limit))
  }

  /** Whether there is nothing that a limit, a pause or a breaker could hold back. */
  areOpen(command: ClaimCommand): boolean {
    return this.#limits.size === 0 && this.#pausedAt(command.now) === 0 && !this.#breakers.hinder(command)
  }

  #pausedAt(now: number): number {
    return [...this.#pauses.values()].filter(({ until }) => until > now).length
  }

  get hasGroupRates(): boolean {
    return [...this.#limits.values()].some(({ groupRate }) => groupRate !== null)
  }

  /** What holds a job back, each thing by itself. `before` is what the claim has taken: it is not counted, and its rates were open. */
  shut(job: ModelJob, command: ClaimCommand, model: Model, before: readonly ModelJob[] = []): Shut[] {
    const { now } = command
    const running = model.filter((other) => other.state === 'running' && !before.includes(other))
    const found: Shut[] = []
    const targets = [{ queue: job.queue }, { kind: job.kind }, job.group === null ? null : { queue: job.queue, group: job.group }]
    for (const target of targets) {
      const until = target === null ? 0 : (this.#pauses.get(key(target))?.until ?? 0)
      if (until > now) found.push({ by: 'pause', until })
    }
    const letsAt = this.#breakers.opensAt(job, command, running)
    found.push({ by: letsAt === never ? 'limit' : 'breaker', until: letsAt })
    const sameGroup = (other: ModelJob) => other.queue === job.queue && other.group === job.group
    for (const limit of this.#limitsOf(job)) {
      const isOfLimit = (other: ModelJob) => (limit.scope === 'kind' ? other.kind : other.queue) === limit.name
      const held = running.filter(isOfLimit)
      if (held.length >= (limit.concurrency ?? never)) found.push({ by: 'limit', until: never })
      if (limit.exclusive?.some((name) => this.#isLocked(name, model)) === true) found.push({ by: 'limit', until: never })
      if (this.#resourceIsFull(limit, running)) found.push({ by: 'limit', until: never })
      if (job.group !== null && held.filter(sameGroup).length >= (limit.groupConcurrency ?? never))
        found.push({ by: 'group limit', until: never })
      if (limit.rate !== null && !before.some(isOfLimit))
        found.push({ by: 'rate', until: this.#opensAt(rateKey(limit, null), limit.rate) })
      if (limit.groupRate !== null && job.group !== null && !before.some((other) => isOfLimit(other) && sameGroup(other)))
        found.push({ by: 'rate', until: this.#opensAt(rateKey(limit, job), limit.groupRate) })
    }
    const heldHere = running.filter((other) => other.owner === command.owner && sameGroup(other))
    if (job.group !== null && heldHere.length >= (command.groupMax ?? never)) found.push({ by: 'group limit', until: never })
    for (const limit of command.localLimits.filter((each) => isOf(job, each))) {
      const own = running.filter((other) => other.owner === command.owner && isOf(other, limit))
      if (own.length >= limit.limit) found.push({ by: 'limit', until: never })
    }
    return found.filter(({ until }) => until > now)
  }

  #declare({ limits, kinds, queues }: DeclareLimitsCommand): DeclareLimitsAnswer {
    for (const [name, limit] of this.#limits) {
      const named = limit.scope === 'kind' ? kinds.includes(limit.name) : (queues?.includes(limit.name) ?? true)
      if (named && limit.scope !== 'resource') this.#limits.delete(name)
    }
    for (const limit of limits) this.#limits.set(`${limit.scope}:${limit.name}`, limit)
    return { type: 'limits-declared' }
  }

  #limitsOf({ kind, queue }: ModelJob): GlobalLimit[] {
    return [this.#limits.get(`kind:${kind}`), this.#limits.get(`queue:${queue}`)].filter((limit) => limit !== undefined)
  }

  #resourceIsFull({ resource }: GlobalLimit, running: readonly ModelJob[]): boolean {
    const capacity = this.#limits.get(`resource:${resource}`)?.concurrency
    if (resource === null || capacity == null) return false
    return running.filter(({ kind }) => this.#limits.get(`kind:${kind}`)?.resource === resource).length >= capacity
  }

  #isLocked(name: string, model: Model): boolean {
    const held = this.#locks.get(name)
    return model.some(({ id, state, token }) => id === held?.id && state === 'running' && token === held.token)
  }

  #hit(name: string, now: number): void {
    this.#hits.set(name, [...(this.#hits.get(name) ?? []), now])
  }

  /** When the oldest of the latest n is a window old. */
  #opensAt(name: string, { slots, windowMs }: Ring): number {
    const hits = this.#hits.get(name) ?? []
    return hits.length < slots ? 0 : (hits.at(-slots) as number) + windowMs
  }

  #note(target: PauseTarget): void {
    if ('group' in target) this.unplaced.add(key(target))
  }
}

function isOf({ queue, kind }: ModelJob, limit: LocalLimit): boolean {
  return (limit.queue ?? queue) === queue && (limit.kinds?.includes(kind) ?? true)
}

function rateKey({ scope, name }: GlobalLimit, job: ModelJob | null): string {
  return JSON.stringify([scope, name, job?.queue, job?.group])
}

/** The name of a job's group. */
export function groupOf({ queue, group }: ModelJob): string {
  return key({ queue, group: group ?? '' })
}

/** Whether two jobs have their turns together. */
function isSameTurn(a: ModelJob, b: ModelJob): boolean {
  return a.group === b.group && a.queue === b.queue && a.priority === b.priority
}

function laneOf({ queue, group, kind, priority }: ModelJob): string {
  return JSON.stringify([queue, group, kind, priority])
}

function key(target: PauseTarget): string {
  return JSON.stringify(
    'kind' in target ? ['kind', target.kind] : ['queue', target.queue, 'group' in target ? target.group : null],
  )
}
