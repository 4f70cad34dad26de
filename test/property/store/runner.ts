/**
 * Runs a program on two handles of one real file and on the model, and compares after every commit: the answers, every row,
 * and the invariants of one transition and of one snapshot.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Database } from 'better-sqlite3'
import type { KeyValueOperation } from '../../../src/job/key-value.ts'
import type { JobId, Lease, OwnerId } from '../../../src/job/lease.ts'
import type { NewJob } from '../../../src/job/new-job.ts'
import type { StoredPayload } from '../../../src/job/payload.ts'
import type { Answer, Command } from '../../../src/persistence/commands/command.ts'
import type { KeyValueCommand } from '../../../src/persistence/commands/key-value.ts'
import type { JobRow } from '../../../src/persistence/job-row.ts'
import { type SnapshotInvariant, snapshotInvariants } from '../../../src/persistence/sqlite/snapshot-invariants.ts'
import type { Store } from '../../../src/persistence/store.ts'
import { eventsAreWrong, prepareWritten, type WrittenEvent } from './events.ts'
import { brokenLines, type LoggedLine, prepareLines } from './log-lines.ts'
import { type Model, type ModelCommand, run, visible } from './model.ts'
import { type KeyValueRow, ModelKeyValues } from './model-key-values.ts'
import type { Action, JobShape, KeyValueShape, Pick, ProgramStep } from './program.ts'
import { violations } from './transitions.ts'

/** All that a program is made of. */
type ProgramCommand = ModelCommand | KeyValueCommand

/** What a program runs on. `watch` is a third connection, which sees what was committed. */
export interface Bench {
  readonly handles: readonly [Store, Store]
  readonly watch: Database
}

/** A promise that a store broke, by the name of the invariant; `model` where only the model says so. */
export class Broken extends Error {
  readonly invariant: string

  constructor(invariant: string, details: object) {
    super(`${invariant} is broken: ${JSON.stringify(details, null, 1)}`)
    this.invariant = invariant
  }
}

/** Runs one program on emptied tables. `reached` collects what happened, so that a test can tell a check that never ran. */
export async function runProgram(bench: Bench, steps: readonly ProgramStep[], reached: Set<string> = new Set()): Promise<void> {
  bench.watch.exec('DELETE FROM reeve_jobs; DELETE FROM reeve_key_values; DELETE FROM reeve_events')
  const world = new World()
  const watch = prepareWatch(bench.watch)
  for (const step of steps) {
    const commands = world.commands(step)
    if (commands.length > 0) await runStep({ ...bench, world, watch }, step, commands, reached)
  }
  watch.check(snapshotInvariants)
}

/** All that one program runs with. */
interface Course {
  readonly handles: readonly [Store, Store]
  readonly world: World
  readonly watch: Watch
}

async function runStep(course: Course, step: ProgramStep, commands: ProgramCommand[], reached: Set<string>): Promise<void> {
  const first = await commitAndCompare(course, step.handle, commands, false)
  note(reached, commands, first)
  course.world.learn(first.answers)
  if (!step.repeat) return
  const second = await commitAndCompare(course, step.handle, commands, true)
  reached.add('repeated')
  const same = isDeepStrictEqual(first.after, second.after) && isDeepStrictEqual(first.entries.after, second.entries.after)
  if (!same) throw new Broken('commit-unknown-safe', { commands, first, second })
  if (commands.length === 1 && !isDeepStrictEqual(first.answers, second.answers)) {
    const name = commands[0]?.type === 'settle' ? 'settle-again-same-answer' : 'commit-unknown-safe'
    throw new Broken(name, { commands, first: first.answers, second: second.answers })
  }
}

interface Committed {
  readonly before: readonly JobRow[]
  readonly after: readonly JobRow[]
  readonly entries: { readonly before: readonly KeyValueRow[]; readonly after: readonly KeyValueRow[] }
  readonly answers: readonly Answer[]
}

async function commitAndCompare(
  course: Course,
  handle: 0 | 1,
  commands: ProgramCommand[],
  repeated: boolean,
): Promise<Committed> {
  const { world, watch } = course
  const before = await snapshot(course)
  const entriesBefore = watch.entries()
  const linesBefore = watch.lines()
  const eventsBefore = watch.events(0)?.at(-1)?.seq ?? 0
  const answers = (await course.handles[handle].commit(commands, { repeated })).map(plain)
  const after = await snapshot(course)
  const entries = { before: entriesBefore, after: watch.entries() }
  const lines = watch.lines()
  const [command, answer] = [commands[0], answers[0]]
  if (commands.length === 1 && command !== undefined && answer !== undefined) {
    const broken = violations({ command, answer, before, after, entries })[0] ?? brokenLines(command, before, linesBefore, lines)
    if (broken !== null) throw new Broken(broken, { command, answer, before, after, entries })
    const events = watch.events(eventsBefore)
    if (events !== null && eventsAreWrong(command, before, after, events))
      throw new Broken('model', { command, before, after, events })
  }
  watch.check(cheapInvariants)
  const expected = commands.map((each) => plain(world.expect(each, repeated)))
  const rows = world.model.map((job) => plain(visible(job)))
  if (!isDeepStrictEqual(answers, expected)) throw new Broken('model', { commands, answers, expected })
  if (!isDeepStrictEqual(after, rows)) throw new Broken('model', { commands, rows: after, expected: rows })
  const kept = world.keyValues.rows().map(plain)
  if (!isDeepStrictEqual(entries.after, kept)) throw new Broken('model', { commands, entries, expected: kept })
  const said = world.model.flatMap(({ logs }) => logs)
  if (!isDeepStrictEqual(lines.map(plain), said)) throw new Broken('model', { commands, lines, expected: said })
  return { before, after, entries, answers }
}

async function snapshot({ handles, watch }: Course): Promise<JobRow[]> {
  const rows = await Promise.all(watch.ids().map((id, index) => handles[index % 2 === 0 ? 0 : 1].job(id)))
  return rows.filter((row) => row !== null).map(plain)
}

/** What a third party sees of the file. */
interface Watch {
  /** In order of insertion. */
  ids(): JobId[]
  /** In order of kind and key. */
  entries(): KeyValueRow[]
  lines(): LoggedLine[]
  /** Those behind a place; null where the stream of events is off. */
  events(after: number): readonly WrittenEvent[] | null
  check(invariants: readonly SnapshotInvariant[]): void
}

/** `no-orphans` reads the whole file, so it is held once a program and not after every commit. */
const cheapInvariants = snapshotInvariants.filter(({ name }) => name !== 'no-orphans')

function prepareWatch(db: Database): Watch {
  const ids = db.prepare<[], JobId>('SELECT id FROM reeve_jobs ORDER BY seq').pluck()
  const entries = db.prepare<[], KeyValueRow>('SELECT kind, key, value, version FROM reeve_key_values ORDER BY kind, key')
  const queries = new Map(snapshotInvariants.map(({ name, sql }) => [name, db.prepare(sql)]))
  return {
    ids: () => ids.all(),
    entries: () => entries.all().map(plain),
    lines: prepareLines(db),
    events: prepareWritten(db),
    check(invariants) {
      for (const { name } of invariants) {
        const violators = queries.get(name)?.all() ?? []
        if (violators.length > 0) throw new Broken(name, { violators })
      }
    },
  }
}

/** Bytes come back as Buffers; only what they hold matters. */
function plain<T>(value: T): T {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}` as T
  if (Array.isArray(value)) return value.map(plain) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part as StoredPayload)])) as T
}

function note(reached: Set<string>, commands: readonly Command[], { before, after, answers }: Committed): void {
  for (const answer of answers) reached.add(answer.type === 'key-value' ? `key-value ${answer.outcome.type}` : answer.type)
  for (const { error } of after) if (error?.code === 'REEVE_JOB_CRASHED') reached.add('crashed')
  for (const answer of answers) {
    if (answer.type === 'claimed' && answer.jobs.some(({ isSuspect }) => isSuspect)) reached.add('suspect claimed')
    if (answer.type === 'claimed' && answer.suspectsDue && answer.jobs.length > 0) reached.add('suspect skipped')
  }
  const [command] = commands
  if (command === undefined || commands.length > 1) return
  const states = new Map(before.map(({ id, state }) => [id, state]))
  for (const { id, state } of after) {
    const cause = command.type === 'settle' ? command.settlement.type : command.type
    if (states.has(id) && states.get(id) !== state) reached.add(`${states.get(id)} to ${state} by ${cause}`)
  }
}

/** What a program knows while it runs: the model, the clock, the leases so far, and who each handle is. */
class World {
  readonly model: Model = []
  readonly keyValues = new ModelKeyValues()
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
    // The order that makes a list repeatable: a cancel finds what the list enqueues, and a claim all that it makes ready.
    const rank = ({ type }: Command) => (type === 'enqueue' ? 0 : type === 'claim' ? 2 : 1)
    return commands.toSorted((a, b) => rank(a) - rank(b))
  }

  /** What a store must answer. */
  expect(command: ProgramCommand, repeated: boolean): Answer {
    return command.type === 'key-value' ? this.keyValues.run(command, this.model) : run(this.model, command, repeated)
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
        return { type: 'enqueue', now, jobs: action.jobs.map((shape) => this.#newJob(shape)) }
      case 'claim': {
        const { limit, ahead, alone, queues, queuesExcluded } = action
        const options = { attemptsMaxByKind: { send: 2 }, attemptsMaxDefault: 3, leaseExpiresAt: now + 1_000 }
        return { type: 'claim', now, owner, claimNumber: ++this.#claims, limit, ahead, alone, queues, queuesExcluded, ...options }
      }
      case 'renew': {
        const leases = action.picks.map((pick) => this.#pick(pick)).filter((lease) => lease !== null)
        return leases.length === 0 ? null : { type: 'renew', owner, leases, leaseExpiresAt: now + 2_000 }
      }
      case 'cancel':
        return { type: 'cancel', now, jobId: `job-${1 + (action.index % (this.#jobs + 1))}` as JobId }
      case 'reclaim': {
        // The other handle's supervisor has died. Its next incarnation has another name.
        const other = handle === 0 ? 1 : 0
        this.#incarnations[other]++
        const dead = `owner-${other}-${this.#incarnations[other] - 1}` as OwnerId
        return { type: 'reclaim', now, owner: dead, crashesMax: action.crashesMax }
      }
      case 'key-value': {
        const lease = this.#pick(action.pick)
        const by = action.kind === null ? lease && { lease } : { kind: action.kind }
        return by && { type: 'key-value', now, by, operation: this.#operation(action.operation) }
      }
      default: {
        const lease = this.#pick(action.pick)
        if (lease === null) return null
        if (action.type === 'settle') return { type: 'settle', now, lease, settlement: action.settlement }
        if (action.type === 'log') {
          const lines = action.lines.map((line) => ({ line, at: now, level: 30, message: `line ${line}`, fields: null }))
          return { type: 'log', lease, attempt: 1, lines, keep: action.keep }
        }
        return { type: 'progress', lease, fraction: action.fraction, note: action.note }
      }
    }
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

  #newJob({ delay, again, ...shape }: JobShape): NewJob {
    const number = again && this.#jobs > 0 ? 1 + (shape.priority % this.#jobs) : ++this.#jobs
    return { ...shape, id: `job-${Math.max(number, 1)}` as JobId, runAt: this.#now + delay }
  }

  #pick({ current, index }: Pick): Lease | null {
    const running = this.model.filter(({ state }) => state === 'running').map(({ id, token }) => ({ jobId: id, token }))
    const from = current ? running : this.#leases
    return from[index % Math.max(from.length, 1)] ?? null
  }
}
