/**
 * What must hold of a database and a diary after any number of kills. Each check returns what broke it, and nothing
 * when all is well.
 */

import { isPublishedEdge, isTerminal, type JobState } from '../../../src/job/state.ts'
import { snapshotInvariants } from '../../../src/persistence/sqlite/snapshot-invariants.ts'
import { type Change, readAudit, withDatabase } from '../runtime/audit.ts'
import type { DiaryLine } from './diary.ts'

/** What was found broken: the name of the promise, and by what. */
export interface Breach {
  readonly promise: string
  readonly by: string
}

/** All checks that hold at any moment, in one read of the file. */
export function breachesOf(database: string, diary: readonly DiaryLine[]): readonly Breach[] {
  return [...damaged(database), ...lost(database, diary), ...wrongChanges(readAudit(database)), ...overlaps(diary)]
}

/** `integrity_check`, and the invariants that one snapshot shows. */
export function damaged(database: string): readonly Breach[] {
  return withDatabase(database, (db) => {
    const integrity = db.pragma('integrity_check', { simple: true })
    const found = snapshotInvariants.flatMap(({ name, sql }) =>
      db
        .prepare<[], { violator: string }>(sql)
        .all()
        .map(({ violator }) => ({ promise: name, by: violator })),
    )
    return integrity === 'ok' ? found : [{ promise: 'integrity', by: String(integrity) }, ...found]
  })
}

/** An acknowledged job that has no row. */
export function lost(database: string, diary: readonly DiaryLine[]): readonly Breach[] {
  const ids = withDatabase(database, (db) => new Set(db.prepare<[], string>('SELECT id FROM reeve_jobs').pluck().all()))
  return diary.flatMap((line) =>
    line.what === 'acknowledged' && !ids.has(line.id) ? [{ promise: 'acknowledged-is-kept', by: line.id }] : [],
  )
}

/** What each change of a row must be, given the one before it. Linear in the number of changes. */
export function wrongChanges(changes: readonly Change[]): readonly Breach[] {
  const last = new Map<string, Change>()
  const held = new Map<string, number>()
  /** How many jobs each owner held when the first of them was taken back: an owner dies once. */
  const heldAtDeath = new Map<string, number>()
  const breaches: Breach[] = []
  const holds = (change: Change | undefined, by: 1 | -1) => {
    if (change?.after === 'running' && change.owner !== null) held.set(change.owner, (held.get(change.owner) ?? 0) + by)
  }
  for (const change of changes) {
    const before = last.get(change.id)
    const owner = before?.owner ?? ''
    if (before !== undefined && change.crashes > before.crashes && !heldAtDeath.has(owner))
      heldAtDeath.set(owner, held.get(owner) ?? 0)
    const promise = brokenBy(change, before, heldAtDeath.get(owner) ?? 0)
    if (promise !== undefined) breaches.push({ promise, by: JSON.stringify(change) })
    holds(before, -1)
    holds(change, 1)
    last.set(change.id, change)
  }
  return breaches
}

function brokenBy(change: Change, last: Change | undefined, heldAtDeath: number): string | undefined {
  const { before, after, token, attempt, crashes } = change
  if (last === undefined) return before === '' && after === 'ready' && token === 0 && attempt === 0 ? undefined : 'born-ready'
  if (before !== last.after) return 'no-change-unseen'
  if (isTerminal(before as JobState)) return 'settled-once'
  if (before === after)
    return token === last.token && attempt === last.attempt && crashes === last.crashes ? undefined : 'holder-stable'
  if (!isPublishedEdge(before as JobState, after as JobState)) return 'published-edges-only'
  if (after === 'running')
    return token === last.token + 1 && attempt === last.attempt + 1 && crashes === last.crashes ? undefined : 'charged-at-claim'
  if (token !== last.token) return 'token-grows-on-claim'
  const given = last.attempt - attempt
  const crashed = crashes - last.crashes
  // A death that several jobs were held at is charged to none; one that a job was held alone at is charged to it.
  const shared = crashed === 1 && heldAtDeath > 1
  if (shared) return given === (after === 'ready' ? 1 : 0) ? undefined : 'attempts-exact'
  const right = (crashed === 0 && (given === 0 || (given === 1 && after === 'ready'))) || (crashed === 1 && given === 0)
  return right ? undefined : 'attempts-exact'
}

/**
 * Two bodies of one job at the same time. A body without an end lasted until its process was killed.
 */
function overlaps(diary: readonly DiaryLine[]): readonly Breach[] {
  const killedAt = new Map<number, number>()
  const endOf = new Map<string, number>()
  const bodies = new Map<string, Extract<DiaryLine, { what: 'start' | 'end' }>[]>()
  for (const line of diary) {
    if (line.what === 'kill') killedAt.set(line.pid, line.at)
    else if (line.what === 'end') endOf.set(keyOf(line), line.at)
    else if (line.what === 'start') bodies.set(line.id, [...(bodies.get(line.id) ?? []), line])
  }
  const breaches: Breach[] = []
  for (const starts of bodies.values()) {
    const inOrder = starts.sort((a, b) => a.at - b.at)
    for (const [index, next] of inOrder.entries()) {
      const previous = inOrder[index - 1]
      if (previous === undefined) continue
      // Its loop cannot write an end: the timeout ends it with its thread.
      const without = previous.kind === 'overruns' ? previous.at : (killedAt.get(previous.pid) ?? Number.POSITIVE_INFINITY)
      const over = endOf.get(keyOf(previous)) ?? without
      if (over > next.at) breaches.push({ promise: 'one-live-attempt', by: JSON.stringify([previous, next]) })
    }
  }
  return breaches
}

function keyOf({ id, pid, threadId, attempt }: Extract<DiaryLine, { what: 'start' | 'end' }>): string {
  return `${id} ${pid} ${threadId} ${attempt}`
}

/** Jobs that are not over, once everything should be. */
export function unfinished(database: string): readonly string[] {
  return withDatabase(database, (db) =>
    db
      .prepare<[], string>(`SELECT id || ' ' || state FROM reeve_jobs WHERE state NOT IN ('completed', 'cancelled', 'discarded')`)
      .pluck()
      .all(),
  )
}
