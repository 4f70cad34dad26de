/** Makes commands of a random program, with what exists at that moment. */
import type { KeyValueOperation } from '../../../src/job/key-value.ts'
import type { JobId, Lease, OwnerId } from '../../../src/job/lease.ts'
import type { NewJob } from '../../../src/job/new-job.ts'
import type { Settlement } from '../../../src/job/outcome.ts'
import type { Answer, Command } from '../../../src/persistence/commands/command.ts'
import type { EnqueueCommand } from '../../../src/persistence/commands/enqueue.ts'
import { type Bar, judgeClaim } from './judge-claim.ts'
import { idOf, tiesOf } from './make-ties.ts'
import { type Model, type ModelJob, type ProgramCommand, run } from './model.ts'
import { isGateCommand, ModelGates } from './model-gates.ts'
import { ModelKeyValues } from './model-key-values.ts'
import type { Action, JobShape, KeyValueShape, Pick, ProgramStep } from './program.ts'
import { steerCommand } from './steer-commands.ts'

/** The breaker of a kind, which two versions of the code say differently. */
const breakerAt = (kind: string, now: number) => ({ kind, failures: 1 + (now % 2), cooldownMs: 100, cooldownMaxMs: 300 })

/** What a program knows while it runs: the model, the clock, the leases so far, and who each handle is. */
export class World {
  readonly model: Model = []
  readonly keyValues = new ModelKeyValues()
  readonly gates = new ModelGates()
  readonly #lastSides: readonly [Bar['lastSides'], Bar['lastSides']] = [new Map(), new Map()]
  readonly #leases: Lease[] = []
  readonly #incarnations: [number, number] = [1, 1]
  readonly #moments = new Set<number>()
  #now = 1_000_000
  #jobs = 0
  #claims = 0
  #writes = 0

  commands({ handle, tick, actions }: ProgramStep): ProgramCommand[] {
    this.#now += tick
    // No two commits in one millisecond: a store cannot tell a repeated cancel from a second one at the same moment.
    while (this.#moments.has(this.#now)) this.#now++
    this.#moments.add(this.#now)
    const commands = actions.map((action) => this.#command(action, handle)).filter((command) => command !== null)
    // The order that makes a list repeatable: a cancel finds what the list enqueues, a claim all that it makes ready, and
    // nothing is done by hand to what comes after it.
    const rank = ({ type }: Command) =>
      type === 'steer' || type === 'prune' ? 0 : type === 'enqueue' ? 1 : type === 'claim' ? 3 : 2
    return commands.toSorted((a, b) => rank(a) - rank(b))
  }

  /** What a store must answer. Of a claim there may be several right answers: then it is what it has answered. */
  expect(command: ProgramCommand, actual: Answer, handle: 0 | 1, repeated: boolean): Answer {
    const held = command.type === 'settle' ? this.#holder(command.lease) : undefined
    const answer = this.#run(command, actual, handle, repeated)
    if (command.type === 'settle' && held !== undefined && answer.type === 'settled')
      this.gates.settled(command, { ...held, state: answer.state })
    this.gates.keepLanes(this.model)
    return answer
  }

  #run(command: ProgramCommand, actual: Answer, handle: 0 | 1, repeated: boolean): Answer {
    const { model, gates, keyValues } = this
    const lastSides = this.#lastSides[handle]
    if (command.type === 'key-value') return keyValues.run(command, model)
    if (isGateCommand(command)) return gates.run(command)
    if (command.type !== 'claim') return run(model, command, repeated)
    return actual.type === 'claimed' ? judgeClaim({ model, gates, lastSides }, command, actual) : actual
  }

  #holder({ jobId, token }: Lease): ModelJob | undefined {
    return this.model.find((job) => job.id === jobId && job.token === token && job.state === 'running')
  }

  learn(answers: readonly Answer[]): void {
    for (const answer of answers) {
      if (answer.type === 'claimed') for (const { id, token } of answer.jobs) this.#leases.push({ jobId: id, token })
    }
  }

  #owner(handle: 0 | 1): OwnerId {
    return `owner-${handle}-${this.#incarnations[handle]}` as OwnerId
  }

  #command(action: Action, handle: 0 | 1): ProgramCommand | null {
    const now = this.#now
    const owner = this.#owner(handle)
    switch (action.type) {
      case 'enqueue':
        return this.#enqueue(action)
      case 'claim': {
        const { type: _, ...asked } = action
        const options = { attemptsMaxByKind: { send: 2 }, attemptsMaxDefault: 3, leaseExpiresAt: now + 1_000 }
        return { type: 'claim', now, owner, claimNumber: ++this.#claims, ...asked, ...options }
      }
      case 'renew': {
        const leases = action.picks.map((pick) => this.#pick(pick)).filter((lease) => lease !== null)
        return leases.length === 0 ? null : { type: 'renew', owner, leases, leaseExpiresAt: now + 2_000 }
      }
      case 'cancel':
        return { type: 'cancel', now, jobId: this.#jobId(action.index) }
      case 'reclaim': {
        // The other handle's supervisor has died. Its next incarnation has another name.
        const other = handle === 0 ? 1 : 0
        this.#incarnations[other]++
        const dead = `owner-${other}-${this.#incarnations[other] - 1}` as OwnerId
        return { type: 'reclaim', now, owner: dead, crashesMax: action.crashesMax }
      }
      case 'prune':
        return { type: 'prune', now, operation: `prune-${++this.#writes}`, page: 0, cursor: null, ...action.shape }
      case 'steer':
        return steerCommand(action.shape, {
          now,
          operation: `steer-${++this.#writes}`,
          jobId: (index) => this.#jobId(index),
        })
      case 'declare-limits':
        return { now, ...action }
      case 'resume':
      case 'close-breaker':
        return action
      case 'pause': {
        const { target, delay } = action
        return { type: 'pause', now, target, until: delay === null ? null : now + delay, reason: null }
      }
      case 'key-value': {
        const lease = this.#pick(action.pick)
        const by = action.kind === null ? lease && { lease } : { kind: action.kind }
        return by && { type: 'key-value', now, by, operation: this.#operation(action.operation) }
      }
      default: {
        const lease = this.#pick(action.pick)
        if (lease === null) return null
        if (action.type === 'log') {
          const lines = action.lines.map((line) => ({ line, at: now, level: 30, message: `line ${line}`, fields: null }))
          return { type: 'log', lease, attempt: 1, lines, keep: action.keep }
        }
        if (action.type === 'settle') {
          const timings = [{ label: `span ${now}`, startMs: 0.5, durationMs: now % 2 === 0 ? 1 : null }]
          const ran = action.started ? { ran: { threadId: 7, startedAt: now - 5, ...(now % 3 !== 0 && { timings }) } } : {}
          // Now and then one of a version that has no breaker.
          const kind = now % 4 !== 0 ? this.#holder(lease)?.kind : undefined
          return {
            type: 'settle',
            now,
            lease,
            settlement: this.#settlement(action),
            ...ran,
            ...(kind !== undefined && { breaker: breakerAt(kind, now) }),
          }
        }
        return { type: 'progress', lease, fraction: action.fraction, note: action.note }
      }
    }
  }

  #jobId(index: number): JobId {
    return `job-${1 + (index % (this.#jobs + 1))}` as JobId
  }

  /** The version that a write expects is the one that is there for some kind, or one of long ago. */
  #operation({ type, key, value, expects }: KeyValueShape): KeyValueOperation {
    if (type === 'get') return { type, key }
    if (type === 'list') return { type, prefix: key.slice(0, 1), after: expects === 'absent' ? key : null, limit: 2 }
    const there = this.keyValues.rows().find((row) => row.key === key)?.version ?? null
    const version = { any: undefined, there, absent: null, old: 'v1' }[expects]
    const condition = version === undefined ? {} : { expected: version }
    return type === 'delete' ? { type, key, ...condition } : { type, key, value, version: `v${++this.#writes}`, ...condition }
  }

  #enqueue({ jobs, depthMax }: Extract<Action, { type: 'enqueue' }>): EnqueueCommand {
    const bound = depthMax === null ? {} : { depthMax }
    return { type: 'enqueue', now: this.#now, jobs: this.#newJobs(jobs), ...bound }
  }

  #settlement({ settlement, children }: Extract<Action, { type: 'settle' }>): Settlement {
    if (settlement.type !== 'complete' || children.length === 0) return settlement
    return { ...settlement, children: this.#newJobs(children) }
  }

  /** Whoever makes a command gives each of its jobs an id of its own. */
  #newJobs(shapes: readonly JobShape[]): NewJob[] {
    return [...new Map(shapes.map((shape) => this.#newJob(shape)).map((job) => [job.id, job])).values()]
  }

  #newJob({ delay, again, ties, ...shape }: JobShape): NewJob {
    const known = this.model[shape.priority % Math.max(this.model.length, 1)]?.id
    // An id that was deleted is never used again.
    const id = again && known !== undefined ? known : idOf(++this.#jobs)
    const tied = ties === null ? {} : tiesOf(ties, { ...shape, now: this.#now, number: this.#jobs })
    return { ...shape, id, runAt: this.#now + delay, ...tied }
  }

  #pick({ current, index }: Pick): Lease | null {
    const running = this.model.filter(({ state }) => state === 'running').map(({ id, token }) => ({ jobId: id, token }))
    // Half of the stale ones are of jobs that run again: only there can a word of the past do harm.
    const superseded = this.#leases.filter((old) =>
      running.some(({ jobId, token }) => jobId === old.jobId && token !== old.token),
    )
    const from = current ? running : index % 2 === 0 && superseded.length > 0 ? superseded : this.#leases
    return from[index % Math.max(from.length, 1)] ?? null
  }
}
