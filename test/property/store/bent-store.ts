/** The real store with one mistake: its commands are bent before they run, or its rows after. */
import type { Database } from 'better-sqlite3'
import type { Answer, Command } from '../../../src/persistence/commands/command.ts'
import type { SettleCommand } from '../../../src/persistence/commands/settle.ts'
import type { Store } from '../../../src/persistence/store.ts'
import type { Gating } from './program.ts'

/** A mistake in a store. */
export interface WrongStore {
  readonly mistake: string
  /** The invariants of which the property must name one. */
  readonly breaks: readonly string[]
  /** Which programs show it. */
  readonly gating: Gating
  /** Puts the mistake into a store; `db` is a connection of its own to the same file. */
  wrap(store: Store, db: Database): Store
}

/** How a store is bent. */
export interface Bend {
  /** Changes a command before it runs. */
  command?(command: Command, db: Database, repeated: boolean): Command
  /** Changes the rows before all commands of a commit. */
  before?(commands: readonly Command[], db: Database): void
  /** Changes the rows after the commit. */
  after?(commands: readonly Command[], answers: readonly Answer[], db: Database): void
  /** Changes what the caller is told. */
  answers?(answers: readonly Answer[]): readonly Answer[]
}

/** A store with a mistake. */
export function bent(mistake: string, breaks: readonly string[], bend: Bend, gating: Gating = 'free'): WrongStore {
  const wrap = (store: Store, db: Database): Store => ({
    ...store,
    async commit(commands, options) {
      bend.before?.(commands, db)
      const changed = commands.map((command) => bend.command?.(command, db, options?.repeated ?? false) ?? command)
      const answers = await store.commit(changed, options)
      bend.after?.(commands, answers, db)
      return bend.answers?.(answers) ?? answers
    },
  })
  return { mistake, breaks, gating, wrap }
}

/** The settles among commands. */
export const settles = (commands: readonly Command[]): SettleCommand[] => commands.filter((command) => command.type === 'settle')

/** Runs `sql` on each job that a settlement of this type was committed for. */
export function forSettled(type: string, sql: string): Pick<Bend, 'after'> {
  return {
    after(commands, _, db) {
      for (const { lease } of settles(commands).filter(({ settlement }) => settlement.type === type))
        db.prepare(sql).run(lease.jobId)
    },
  }
}
