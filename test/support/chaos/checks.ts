/**
 * What must hold of a chaos run, by its history, its rows and every change of them. Each check is pure, takes time in proportion
 * to what it reads (but for one sort of the bodies of each job), and returns what broke it.
 */
import { isTerminal, type JobState } from '../../../src/job/state.ts'
import type { Breach } from '../crash/verdict.ts'
import type { Change } from '../runtime/audit.ts'
import type { BodyLine, HistoryLine } from './history.ts'

/** A job at the end of the run. */
export interface FinalRow {
  readonly id: string
  readonly key: string
  readonly state: JobState
  /** The name of the body whose result it is. */
  readonly result: string | null
}

/** Every acknowledged job is there once and over; nothing is there that was refused, or that nobody offered. */
export function totalQueue(history: readonly HistoryLine[], rows: readonly FinalRow[]): readonly Breach[] {
  const byId = new Set(rows.map(({ id }) => id))
  const byKey = new Map<string, number>()
  for (const { key } of rows) byKey.set(key, (byKey.get(key) ?? 0) + 1)
  const offered = new Set(history.flatMap((line) => (line.what === 'offered' ? line.keys : [])))
  const refused = history.flatMap((line) => (line.what === 'refused' ? line.keys : []))
  const acknowledged = history.flatMap((line) => (line.what === 'acknowledged' ? [line.id] : []))
  return [
    ...breach(
      'acknowledged-is-kept',
      [...acknowledged].filter((id) => !byId.has(id)),
    ),
    ...breach(
      'refused-is-not-stored',
      refused.filter((key) => byKey.has(key)),
    ),
    ...breach(
      'no-row-from-nowhere',
      [...byKey.keys()].filter((key) => !offered.has(key)),
    ),
    ...breach(
      'stored-once',
      [...byKey].flatMap(([key, count]) => (count > 1 ? [key] : [])),
    ),
    ...breach(
      'nothing-is-stuck',
      rows.flatMap(({ id, state }) => (isTerminal(state) ? [] : [`${id} ${state}`])),
    ),
  ]
}

/** What a client was told of an end is how it stays, and a result is that of a body of this job which came to its end. */
export function endsAsTold(history: readonly HistoryLine[], rows: readonly FinalRow[]): readonly Breach[] {
  const rowOf = new Map(rows.map((row) => [row.id, row]))
  const ended = new Map(history.flatMap((line) => (line.what === 'end' ? [[line.body, line.id] as const] : [])))
  const changed = history.flatMap((line) => {
    if (line.what !== 'told' || rowOf.get(line.id)?.state === line.state) return []
    return [`${line.id} was told as ${line.state} and is ${rowOf.get(line.id)?.state ?? 'gone'}`]
  })
  const foreign = rows.filter(({ id, state, result }) => state === 'completed' && ended.get(result ?? '') !== id)
  return [
    ...breach('told-is-final', changed),
    ...breach(
      'result-of-its-body',
      foreign.map(({ id, result }) => `${id} ${result}`),
    ),
  ]
}

/** A lock that another process holds is waited for: nobody is told of it. */
export function busySurfaced(history: readonly HistoryLine[]): readonly Breach[] {
  const busy = history.flatMap((line) => {
    if (line.what !== 'refused' && line.what !== 'unclear') return []
    const code = line.what === 'refused' ? line.cause : line.code
    return code === 'REEVE_DATABASE_BUSY' ? line.keys.slice(0, 1) : []
  })
  return breach('busy-never-surfaces', busy)
}

/** No two bodies of one job are alive at once. A body lives from its first line to its last, whatever became of its thread. */
export function bodyOverlaps(history: readonly HistoryLine[]): readonly Breach[] {
  const spans = new Map<string, { readonly first: BodyLine; last: number }>()
  for (const line of history) {
    if (line.what !== 'begin' && line.what !== 'beat' && line.what !== 'end') continue
    const span = spans.get(line.body)
    if (span === undefined) spans.set(line.body, { first: line, last: line.at })
    else span.last = Math.max(span.last, line.at)
  }
  const byJob = Map.groupBy(spans.values(), ({ first }) => first.id)
  const found: string[] = []
  for (const bodies of byJob.values()) {
    bodies.sort((a, b) => a.first.at - b.first.at)
    let latest = bodies[0]
    for (const body of bodies.slice(1)) {
      if (latest !== undefined && latest.last > body.first.at) found.push(JSON.stringify([latest, body]))
      if (latest === undefined || body.last > latest.last) latest = body
    }
  }
  return breach('one-live-attempt', found)
}

/**
 * No two holders of one job: a token has one owner for its life, and an owner whose jobs were taken back as a dead one's does nothing
 * more (it would hold leases that others have).
 */
export function leaseOverlaps(changes: readonly Change[]): readonly Breach[] {
  const ownerOf = new Map<string, string>()
  const holder = new Map<string, { readonly owner: string | null; readonly crashes: number }>()
  const dead = new Set<string>()
  const found: Breach[] = []
  for (const change of changes) {
    const { id, after, token, owner, crashes } = change
    const before = holder.get(id)
    if (before !== undefined && crashes > before.crashes && before.owner !== null) dead.add(before.owner)
    if (after === 'running' && owner !== null) {
      const lease = `${id} ${token}`
      const known = ownerOf.get(lease)
      if (known === undefined) ownerOf.set(lease, owner)
      else if (known !== owner) found.push({ promise: 'one-live-lease', by: JSON.stringify(change) })
      if (dead.has(owner)) found.push({ promise: 'no-word-from-the-dead', by: JSON.stringify(change) })
    }
    holder.set(id, { owner, crashes })
  }
  return found
}

/** One settle a token: the change that ends a lease is the only one under its token that leaves `running`. */
export function settleOnce(changes: readonly Change[]): readonly Breach[] {
  const over = new Set<string>()
  const found: string[] = []
  for (const change of changes) {
    if (change.before !== 'running' || change.after === 'running') continue
    const lease = `${change.id} ${change.token}`
    if (over.has(lease)) found.push(JSON.stringify(change))
    over.add(lease)
  }
  return breach('settle-once', found)
}

function breach(promise: string, by: readonly string[]): readonly Breach[] {
  return by.map((violator) => ({ promise, by: violator }))
}
