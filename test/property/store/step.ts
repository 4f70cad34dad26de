/** One committed command with the rows around it, which the invariants of a transition are held against. */
import type { AttemptRow } from '../../../src/persistence/attempt-row.ts'
import type { Answer, Command } from '../../../src/persistence/commands/command.ts'
import type { JobRow } from '../../../src/persistence/job-row.ts'
import type { KeyValueRow } from './model-key-values.ts'

/** The history of each job by its id. */
export type Histories = Readonly<Record<string, readonly AttemptRow[]>>

/** One command that was committed alone, and all rows in order of insertion before and after. */
export interface Step {
  readonly command: Command
  readonly answer: Answer
  readonly before: readonly JobRow[]
  readonly after: readonly JobRow[]
  readonly histories: { readonly before: Histories; readonly after: Histories }
  /** All key-value state. */
  readonly entries: { readonly before: readonly KeyValueRow[]; readonly after: readonly KeyValueRow[] }
}

/** A row with what became of it. */
export interface Pair {
  readonly was: JobRow
  readonly is: JobRow
}

/** All rows that were there before and are there still. */
export function pairs({ before, after }: Step): Pair[] {
  const now = new Map(after.map((row) => [row.id, row]))
  return before.flatMap((was) => {
    const is = now.get(was.id)
    return is === undefined ? [] : [{ was, is }]
  })
}
