/**
 * Runs a program on two handles of one real file and on the model, and compares after every commit: the answers, every row,
 * and the invariants of one transition and of one snapshot.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Database } from 'better-sqlite3'
import type { JobId } from '../../../src/job/lease.ts'
import type { StoredPayload } from '../../../src/job/payload.ts'
import type { Answer } from '../../../src/persistence/commands/command.ts'
import type { JobRow } from '../../../src/persistence/job-row.ts'
import type { SnapshotInvariant } from '../../../src/persistence/sqlite/snapshot-invariant.ts'
import { snapshotInvariants } from '../../../src/persistence/sqlite/snapshot-invariants.ts'
import type { Store } from '../../../src/persistence/store.ts'
import { Broken } from './broken.ts'
import { eventsAreWrong, prepareWritten, type WrittenEvent } from './events.ts'
import { brokenLines, type LoggedLine, prepareLines } from './log-lines.ts'
import { type ProgramCommand, visible } from './model.ts'
import type { KeyValueRow } from './model-key-values.ts'
import { historyOf } from './model-steering.ts'
import type { ProgramStep } from './program.ts'
import { note } from './reached.ts'
import { isRepeatable, withoutMoves } from './repeat.ts'
import type { Histories } from './step.ts'
import { violations } from './transitions.ts'
import { World } from './world.ts'

/** What a program runs on. `watch` is a third connection, which sees what was committed. */
export interface Bench {
  readonly handles: readonly [Store, Store]
  readonly watch: Database
}

const gateTables = ['reeve_breakers', 'reeve_pauses', 'reeve_limits', 'reeve_rate_hits', 'reeve_rates']

/** Runs one program on emptied tables. `reached` collects what happened, so that a test can tell a check that never ran. */
export async function runProgram(bench: Bench, steps: readonly ProgramStep[], reached: Set<string> = new Set()): Promise<void> {
  for (const table of ['reeve_jobs', 'reeve_key_values', 'reeve_events', 'reeve_operations', ...gateTables])
    bench.watch.exec(`DELETE FROM ${table}`)
  bench.watch.exec('UPDATE reeve_turns SET latest = 0')
  const world = new World()
  const watch = watchOf(bench.watch)
  const course: Course = { ...bench, world, watch, rows: [], entries: [], lines: [], histories: {} }
  for (const step of steps) {
    const commands = world.commands(step)
    if (commands.length > 0) await runStep(course, step, commands, reached)
  }
  watch.check(snapshotInvariants)
}

/** One commit with the rows around it. */
interface Committed {
  readonly before: readonly JobRow[]
  readonly after: readonly JobRow[]
  readonly entries: { readonly before: readonly KeyValueRow[]; readonly after: readonly KeyValueRow[] }
  readonly histories: { readonly before: Histories; readonly after: Histories }
  readonly answers: readonly Answer[]
}

/** All that one program runs with. */
interface Course {
  readonly handles: readonly [Store, Store]
  readonly world: World
  readonly watch: Watch
  // As the last commit left them: nothing else writes.
  rows: readonly JobRow[]
  entries: readonly KeyValueRow[]
  lines: readonly LoggedLine[]
  histories: Histories
}

async function runStep(course: Course, step: ProgramStep, commands: ProgramCommand[], reached: Set<string>): Promise<void> {
  const first = await commitAndCompare(course, step.handle, commands, false)
  note(reached, commands, first)
  course.world.learn(first.answers)
  if (!step.repeat) return
  const second = await commitAndCompare(course, step.handle, commands, true)
  reached.add('repeated')
  const all = ({ after, entries, histories }: Committed) => [after, entries.after, histories.after]
  const same = isDeepStrictEqual(all(first), all(second))
  if (isRepeatable(commands) && !same) throw new Broken('commit-unknown-safe', { commands, first, second })
  if (commands.length === 1 && !isDeepStrictEqual(first.answers, second.answers)) {
    const name = commands[0]?.type === 'settle' ? 'settle-again-same-answer' : 'commit-unknown-safe'
    throw new Broken(name, { commands, first: first.answers, second: second.answers })
  }
}

async function commitAndCompare(
  course: Course,
  handle: 0 | 1,
  commands: ProgramCommand[],
  repeated: boolean,
): Promise<Committed> {
  const { world, watch } = course
  const { rows: before, entries: entriesBefore, lines: linesBefore, histories: historiesBefore } = course
  const eventsBefore = watch.lastEvent()
  const given = (await course.handles[handle].commit(commands, { repeated })).map(plain)
  const answers = given.map(withoutMoves).map(withoutCursor)
  const after = await snapshot(course)
  const lines = watch.lines()
  const entries = { before: entriesBefore, after: watch.entries() }
  const histories = { before: historiesBefore, after: await historiesOf(course) }
  Object.assign(course, { rows: after, entries: entries.after, lines, histories: histories.after })
  const [command, answer] = [commands[0], given[0]]
  if (commands.length === 1 && command !== undefined && answer !== undefined) {
    const step = { command, answer, before, after, entries, histories }
    const broken = violations(step)[0] ?? brokenLines(command, before, linesBefore, lines)
    if (broken !== null) throw new Broken(broken, step)
    const events = watch.events(eventsBefore)
    if (events !== null && eventsAreWrong(command, before, after, events)) throw new Broken('model', { ...step, events })
  }
  watch.check(cheapInvariants)
  const expected = commands.map((each, index) => {
    const right = world.expect(each, answers[index] as Answer, handle, repeated)
    return withoutCursor(plain(right))
  })
  const rows = world.model.map((job) => plain(visible(job)))
  if (!isDeepStrictEqual(answers, expected)) throw new Broken('model', { commands, answers, expected })
  if (!isDeepStrictEqual(after, rows)) throw new Broken('model', { commands, rows: after, expected: rows })
  const kept = world.keyValues.rows().map(plain)
  if (!isDeepStrictEqual(entries.after, kept)) throw new Broken('model', { commands, entries, expected: kept })
  const said = world.model.flatMap(({ logs }) => logs)
  if (!isDeepStrictEqual(lines.map(plain), said)) throw new Broken('model', { commands, lines, expected: said })
  const told = Object.fromEntries(world.model.map((job) => [job.id, plain(historyOf(job))]))
  if (!isDeepStrictEqual(histories.after, told)) throw new Broken('model', { commands, histories, expected: told })
  return { before, after, entries, histories, answers }
}

/** The cursor of a page is about rows of the file, which the model has none of; what it must say is whether there is more. */
function withoutCursor(answer: Answer): Answer {
  return answer.type === 'steered' && answer.next !== null ? { ...answer, next: { after: 0, upTo: 0 } } : answer
}

async function snapshot({ handles, watch }: Course): Promise<JobRow[]> {
  const rows = await Promise.all(watch.ids().map((id, index) => handles[index % 2 === 0 ? 0 : 1].job(id)))
  return rows.filter((row) => row !== null).map(plain)
}

async function historiesOf({ handles, watch }: Course): Promise<Histories> {
  const all = await Promise.all(watch.ids().map(async (id) => [id, plain((await handles[0].attempts(id)) ?? [])] as const))
  return Object.fromEntries(all)
}

/** What a third party sees of the file. */
interface Watch {
  /** In order of insertion. */
  ids(): JobId[]
  /** In order of kind and key. */
  entries(): KeyValueRow[]
  lines(): LoggedLine[]
  /** The place of the last event. */
  lastEvent(): number
  /** Those behind a place; null where the stream of events is off. */
  events(after: number): readonly WrittenEvent[] | null
  check(invariants: readonly SnapshotInvariant[]): void
}

/** `no-orphans` reads the whole file, so it is held once a program and not after every commit. */
const cheapInvariants = snapshotInvariants.filter(({ name }) => name !== 'no-orphans')

const watches = new WeakMap<Database, Watch>()

/** One a connection: to prepare it takes as long as a short program. */
function watchOf(db: Database): Watch {
  const watch = watches.get(db) ?? prepareWatch(db)
  watches.set(db, watch)
  return watch
}

function prepareWatch(db: Database): Watch {
  const ids = db.prepare<[], JobId>('SELECT id FROM reeve_jobs ORDER BY seq').pluck()
  const entries = db.prepare<[], KeyValueRow>('SELECT kind, key, value, version FROM reeve_key_values ORDER BY kind, key')
  const queries = new Map(snapshotInvariants.map(({ name, sql }) => [name, db.prepare(sql)]))
  return {
    ids: () => ids.all(),
    entries: () => entries.all().map(plain),
    lines: prepareLines(db),
    ...prepareWritten(db),
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
