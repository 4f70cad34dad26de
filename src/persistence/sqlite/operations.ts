/**
 * Commands that leave no mark on a row that a repetition could know them by, such as a delete: the answer of the latest page
 * of each that changed something is kept. A repeated page changes nothing and answers the same (invariant `commit-unknown-safe`).
 */
import type { Database } from 'better-sqlite3'
import type { Answer } from '../commands/command.ts'

/** Nothing is repeated so late. */
const keptForMs = 60 * 60 * 1_000

/** A page of an operation: pages come one after another, and each is repeated before the next one. */
interface OperationPage {
  readonly operation: string
  readonly page: number
  readonly now: number
}

/**
 * For what runs again and again and mostly finds nothing to do: such a page writes nothing at all, so that others are not woken for
 * it. A repeated page without a record then does nothing, for its first run did so too, or the next pass will do it.
 */
export interface Idle<A> {
  readonly answer: A
  is(answer: A): boolean
}

/** Prepares, for a connection, a way to run a page only where it has not run before. */
export function prepareOnce<C extends OperationPage, A extends Answer>(
  db: Database,
  run: (command: C) => A,
  idle?: Idle<A>,
): (command: C, repeated: boolean) => A {
  const find = db.prepare<[string, number], string>('SELECT answer FROM reeve_operations WHERE id = ? AND page = ?').pluck()
  const keep = db.prepare('INSERT OR REPLACE INTO reeve_operations (id, page, at, answer) VALUES (?, ?, ?, ?)')
  // A clock that was set back must not keep them for ever.
  const forget = db.prepare('DELETE FROM reeve_operations WHERE at < ? OR at > ?')
  return (command, repeated) => {
    const { operation, page, now } = command
    const before = repeated ? find.get(operation, page) : undefined
    if (before !== undefined) return JSON.parse(before) as A
    if (repeated && idle !== undefined) return idle.answer
    const answer = run(command)
    if (idle?.is(answer) === true) return answer
    if (page === 0) forget.run(now - keptForMs, now + keptForMs)
    keep.run(operation, page, now, JSON.stringify(answer))
    return answer
  }
}
