/** Runs a program on two handles of one real file and on the model, and compares after every commit. */
import { isDeepStrictEqual } from 'node:util'
import type { Database, Statement } from 'better-sqlite3'
import type { Lease } from '../../../src/job/lease.ts'
import type { NewWait } from '../../../src/job/step.ts'
import type { Answer, Command } from '../../../src/persistence/commands/command.ts'
import { snapshotInvariants } from '../../../src/persistence/sqlite/snapshot-invariants.ts'
import type { Store } from '../../../src/persistence/store.ts'
import { claim, complete, fail, interrupted, jobId, newJob, ownerId } from '../../support/store/commands.ts'
import { broken, type Sight } from './judge.ts'
import { type EventView, type JobView, ModelSteps, type StepView } from './model-steps.ts'
import type { Action, Pick, ProgramStep } from './program.ts'

/** What a program runs on. `watch` is a third connection, which sees what was committed. */
export interface Bench {
  readonly handles: readonly [Store, Store]
  readonly watch: Database
}

/** A promise that a store broke; `model` where only the model says so. */
export class Broken extends Error {
  readonly invariant: string

  constructor(invariant: string, details: object) {
    super(`${invariant} is broken: ${JSON.stringify(details, null, 1)}`)
    this.invariant = invariant
  }
}

/** Runs one program on emptied tables. `reached` collects what happened. */
export async function runProgram(bench: Bench, steps: readonly ProgramStep[], reached: Set<string> = new Set()): Promise<void> {
  bench.watch.exec('DELETE FROM reeve_jobs; DELETE FROM reeve_emitted')
  const course = new Course(bench, reached)
  for (const step of steps) await course.run(step)
}

class Course {
  readonly #bench: Bench
  readonly #reached: Set<string>
  readonly #look: () => Sight
  readonly #seqOf: (id: string) => number
  readonly #invariants: readonly { readonly invariant: string; readonly violators: Statement }[]
  readonly #model = new ModelSteps()
  readonly #leases: Lease[] = []
  readonly #incarnations: [number, number] = [1, 1]
  readonly #there = new Map<string, ReadonlySet<string>>()
  #now = 1_000_000
  #jobs = 0
  #claims = 0
  #events = 0

  constructor(bench: Bench, reached: Set<string>) {
    this.#bench = bench
    this.#reached = reached
    const look = prepareLook(bench.watch)
    this.#look = () => ({ ...look(), there: this.#there })
    const seqOf = bench.watch.prepare<[string], number>('SELECT seq FROM reeve_emitted WHERE id = ?').pluck()
    // `no-orphans` reads the whole file, and foreign keys are the other property's.
    const cheap = snapshotInvariants.filter(({ name }) => name !== 'no-orphans')
    this.#invariants = cheap.map(({ name, sql }) => ({ invariant: name, violators: bench.watch.prepare(sql) }))
    this.#seqOf = (id) => seqOf.get(id) ?? -1
  }

  async run({ handle, tick, repeat, action }: ProgramStep): Promise<void> {
    this.#now += tick
    const command = this.#command(action, handle)
    if (command === null) return
    const first = await this.#commit(handle, command, false)
    if (!repeat) return
    const second = await this.#commit(handle, command, true)
    this.#reached.add('repeated')
    if (!isDeepStrictEqual(first, second)) throw new Broken('commit-unknown-safe', { command, first, second })
  }

  async #commit(handle: 0 | 1, command: Command, repeated: boolean): Promise<Answer> {
    const before = this.#look()
    if (command.type === 'emit' && !this.#there.has(command.id))
      this.#there.set(command.id, new Set(before.jobs.map(({ id }) => id)))
    const [answer] = (await this.#bench.handles[handle].commit([command], { repeated })).map(plain)
    const after = this.#look()
    const [name] = broken({ command, before, after })
    if (name !== undefined) throw new Broken(name, { command, answer, before, after })
    for (const { invariant, violators } of this.#invariants) {
      const found = violators.all()
      if (found.length > 0) throw new Broken(invariant, { command, violators: found, before, after })
    }
    this.#compare(command, answer as Answer, before, after)
    if (answer?.type === 'claimed') for (const { id, token } of answer.jobs) this.#leases.push({ jobId: id, token })
    this.#note(command, answer as Answer, before, after)
    return answer as Answer
  }

  #compare(command: Command, answer: Answer, before: Sight, after: Sight): void {
    const expected = this.#model.run(command, before.jobs, this.#seqOf)
    const details = { command, answer, expected: expected.answer, before, after, model: this.#model }
    if (expected.answer !== undefined && !isDeepStrictEqual(answer, plain(expected.answer))) throw new Broken('model', details)
    if (!isDeepStrictEqual(after.steps, this.#model.steps)) throw new Broken('model', details)
    const events = this.#model.events.map(({ at, there, ...event }) => event)
    if (!isDeepStrictEqual(after.events, events)) throw new Broken('model', details)
    if (expected.answer === undefined) return
    for (const job of after.jobs) {
      const was = before.jobs.find(({ id }) => id === job.id)
      const moved = { ...was, ...expected.moved.get(job.id), settledToken: job.settledToken }
      if (command.type !== 'settle' && !isDeepStrictEqual(job, moved)) throw new Broken('model', { ...details, job, moved })
      if (command.type === 'settle' && expected.moved.has(job.id) && !isDeepStrictEqual(job, moved))
        throw new Broken('model', { ...details, job, moved })
    }
  }

  #note(command: Command, answer: Answer, before: Sight, after: Sight): void {
    if (answer.type === 'step') this.#reached.add(`step ${answer.outcome.type}${'standing' in answer.outcome ? ' standing' : ''}`)
    if (answer.type === 'emitted') this.#reached.add(`emit ${answer.outcome}`)
    if (after.events.length < before.events.length) this.#reached.add('dropped')
    for (const { id, state } of after.jobs) {
      const was = before.jobs.find((job) => job.id === id)?.state
      const by = command.type === 'settle' ? command.settlement.type : command.type
      if (was !== undefined && was !== state) this.#reached.add(`${was} to ${state} by ${by}`)
    }
  }

  #command(action: Action, handle: 0 | 1): Command | null {
    const now = this.#now
    const owner = (which: 0 | 1) => ownerId(`owner-${which}-${this.#incarnations[which]}`)
    switch (action.type) {
      case 'enqueue':
        return { type: 'enqueue', now, jobs: [newJob(`job-${++this.#jobs}`, { runAt: now, attemptsMax: action.attemptsMax })] }
      case 'claim': {
        const lease = { owner: owner(handle), claimNumber: ++this.#claims, leaseExpiresAt: now + 1_000 }
        return claim({ now, limit: action.limit, alone: true, ...lease })
      }
      case 'emit': {
        const { event, key, keepMax } = action
        const to = action.to === null ? null : jobId(`job-${1 + (action.to % (this.#jobs + 1))}`)
        if (!action.again || this.#events === 0) this.#events++
        const id = `event-${this.#events}`
        return { type: 'emit', now, id, event, key: to === null ? key : null, payload: `"${id}"`, to, keepMs: 10_000, keepMax }
      }
      case 'wake':
        return { type: 'wake', now, limit: 100 }
      case 'cancel':
        return { type: 'cancel', now, jobId: jobId(`job-${1 + (action.index % (this.#jobs + 1))}`) }
      case 'reclaim': {
        const other = handle === 0 ? 1 : 0
        const dead = owner(other)
        this.#incarnations[other]++
        return { type: 'reclaim', now, owner: dead, crashesMax: 3 }
      }
      default:
        return this.#ofLease(action)
    }
  }

  #ofLease(action: Extract<Action, { readonly pick: Pick }>): Command | null {
    const now = this.#now
    const lease = this.#pick(action.pick)
    if (lease === null) return null
    switch (action.type) {
      case 'end': {
        const { name, value } = action
        return { type: 'step', now, lease, operation: { type: 'end', name, startedAt: now, value } }
      }
      case 'fail-step': {
        const error = { name: 'Error', message: action.message }
        return {
          type: 'step',
          now,
          lease,
          operation: { type: 'fail', name: action.name, stepType: 'run', startedAt: now, error },
        }
      }
      case 'recall':
        return {
          type: 'step',
          now,
          lease,
          operation: action.name === null ? { type: 'list' } : { type: 'value', name: action.name },
        }
      case 'suspend':
        return { type: 'settle', now, lease, settlement: { type: 'suspend', waits: action.waits.map(waitOf) } }
      case 'settle':
        return { type: 'settle', now, lease, settlement: { complete, fail: fail(5), interrupted }[action.as] }
    }
  }

  #pick({ current, index }: Pick): Lease | null {
    const running = this.#look()
      .jobs.filter(({ state }) => state === 'running')
      .map(({ id, token }) => ({ jobId: jobId(id), token: token as Lease['token'] }))
    const from = current ? running : this.#leases
    return from[index % Math.max(from.length, 1)] ?? null
  }
}

function waitOf({ name, type, event, match, timer }: Extract<Action, { type: 'suspend' }>['waits'][number]): NewWait {
  if (type === 'sleep') return { type, name, about: 'sleep', timer: timer ?? { afterMs: 20 } }
  return { type, name, about: `event ${event} ${match}`, event, match, timer }
}

function prepareLook(db: Database): () => Omit<Sight, 'there'> {
  const jobs = db.prepare<[], Omit<JobView, 'cancelRequested'> & { readonly cancelRequested: 0 | 1 }>(`
    SELECT id, state, attempt, token, run_at AS runAt, owner, cancel_requested AS cancelRequested, settled_token AS settledToken
    FROM reeve_jobs ORDER BY seq
  `)
  const steps = db.prepare<[], StepView>(`
    SELECT reeve_jobs.id AS job, name, type, step.state, about, step.attempt, step.token, step.wake_at AS wakeAt, event,
      match_key AS "match", taken, step.error, value
    FROM reeve_steps AS step JOIN reeve_jobs ON reeve_jobs.seq = job ORDER BY step.seq
  `)
  const events = db.prepare<[], EventView>(`
    SELECT reeve_emitted.seq, reeve_emitted.id, event, key, reeve_jobs.id AS "to", payload
    FROM reeve_emitted LEFT JOIN reeve_jobs ON reeve_jobs.seq = job ORDER BY reeve_emitted.seq
  `)
  return () => ({
    jobs: jobs.all().map(({ cancelRequested, ...job }) => ({ ...job, cancelRequested: cancelRequested === 1 })),
    steps: steps.all().map(plain),
    events: events.all().map(plain),
  })
}

/** Bytes come back as Buffers; only what they hold matters. */
function plain<T>(value: T): T {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}` as T
  if (Array.isArray(value)) return value.map(plain) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)])) as T
}
