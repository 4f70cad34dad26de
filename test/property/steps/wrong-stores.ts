/** Stores with one mistake each about steps, and the invariant that it breaks: the real store with its commands bent, or its rows. */
import type { Database } from 'better-sqlite3'
import type { LeaseToken } from '../../../src/job/lease.ts'
import type { Command } from '../../../src/persistence/commands/command.ts'
import type { Store } from '../../../src/persistence/store.ts'

/** A mistake in a store. */
export interface WrongStore {
  readonly mistake: string
  /** The invariants of which the property must name one. */
  readonly breaks: readonly string[]
  /** Changes a command before it runs. */
  command?(command: Command, db: Database): Command
  /** Changes the rows before a command, and after it. */
  before?(command: Command, db: Database): void
  after?(command: Command, db: Database): void
}

/** Puts a mistake into a store; `db` is a connection of its own to the same file. */
export function wrapStore({ command: bend, before, after }: WrongStore, store: Store, db: Database): Store {
  return {
    ...store,
    async commit(commands, options) {
      for (const command of commands) before?.(command, db)
      const answers = await store.commit(
        commands.map((command) => bend?.(command, db) ?? command),
        options,
      )
      for (const command of commands) after?.(command, db)
      return answers
    },
  }
}

const isSuspend = (command: Command): boolean => command.type === 'settle' && command.settlement.type === 'suspend'

function currentToken(db: Database, id: string): LeaseToken {
  return db.prepare<[string], LeaseToken>('SELECT token FROM reeve_jobs WHERE id = ?').pluck().get(id) ?? (0 as LeaseToken)
}

/** All of them. */
export const wrongStores: readonly WrongStore[] = [
  {
    mistake: 'writes a step whoever holds the job',
    breaks: ['step-write-fenced'],
    command: (command, db) =>
      command.type === 'step'
        ? { ...command, lease: { ...command.lease, token: currentToken(db, command.lease.jobId) } }
        : command,
  },
  {
    mistake: 'lets the last write of a step win',
    breaks: ['step-replay-stable'],
    after(command, db) {
      if (command.type !== 'step' || command.operation.type !== 'end') return
      const { name, value } = command.operation
      db.prepare(`UPDATE reeve_steps SET value = ? WHERE name = ? AND state = 'ended'
        AND job = (SELECT seq FROM reeve_jobs WHERE id = ? AND state = 'running' AND token = ?)`).run(
        value,
        name,
        command.lease.jobId,
        command.lease.token,
      )
    },
  },
  {
    mistake: 'clears the steps of a failed attempt',
    breaks: ['step-write-fenced'],
    after(command, db) {
      if (command.type === 'settle' && command.settlement.type === 'fail')
        db.prepare('DELETE FROM reeve_steps WHERE job = (SELECT seq FROM reeve_jobs WHERE id = ?)').run(command.lease.jobId)
    },
  },
  {
    mistake: 'suspends without writing the waits',
    breaks: ['suspended-has-a-waker'],
    after(command, db) {
      if (isSuspend(command)) db.exec("UPDATE reeve_steps SET state = 'failed' WHERE state = 'waiting'")
    },
  },
  {
    mistake: 'keeps the lease of a job that it suspends',
    breaks: ['suspended-holds-nothing'],
    after(command, db) {
      if (isSuspend(command)) db.exec("UPDATE reeve_jobs SET owner = 'ann' WHERE state = 'suspended'")
    },
  },
  {
    mistake: 'charges a suspension',
    breaks: ['attempts-exact'],
    after(command, db) {
      if (isSuspend(command) && 'lease' in command)
        db.prepare("UPDATE reeve_jobs SET attempt = attempt + 1 WHERE id = ? AND state = 'suspended'").run(
          (command.lease as { jobId: string }).jobId,
        )
    },
  },
  {
    mistake: 'gives an event to every wait of a job',
    breaks: ['wake-consumes-once'],
    after(command, db) {
      if (command.type === 'emit')
        db.prepare(`UPDATE reeve_steps SET state = 'ended', ended_at = 1, taken = (SELECT seq FROM reeve_emitted WHERE id = @id)
          WHERE state = 'waiting' AND event = @event AND job IN (SELECT job FROM reeve_steps
            WHERE taken = (SELECT seq FROM reeve_emitted WHERE id = @id))`).run({ id: command.id, event: command.event })
    },
  },
  {
    mistake: 'looks at new events only',
    breaks: ['early-event-not-lost'],
    before: (command, db) => void (isSuspend(command) && db.exec("UPDATE reeve_emitted SET event = '!' || event")),
    after: (command, db) => void (isSuspend(command) && db.exec('UPDATE reeve_emitted SET event = substr(event, 2)')),
  },
  {
    mistake: 'drops events that are still to be kept',
    breaks: ['early-event-not-lost'],
    command: (command) => (command.type === 'emit' ? { ...command, keepMax: 1 } : command),
  },
  {
    mistake: 'gives a job the events from before its time',
    breaks: ['wake-consumes-once', 'model'],
    after: (command, db) => void (command.type === 'emit' && db.exec('UPDATE reeve_emitted SET after_job = 1000000000')),
  },
  {
    mistake: 'ends a wait and leaves its job asleep',
    breaks: ['wake-not-lost', 'suspended-has-a-waker'],
    before(command, db) {
      if (command.type === 'emit') db.exec("UPDATE reeve_jobs SET settled_run_at = -7 WHERE state = 'suspended'")
    },
    after(command, db) {
      if (command.type === 'emit')
        db.exec("UPDATE reeve_jobs SET state = 'suspended' WHERE state = 'ready' AND settled_run_at = -7")
    },
  },
  {
    mistake: 'wakes before the time',
    breaks: ['wake-not-lost', 'wake-consumes-once'],
    command: (command) => (command.type === 'wake' ? { ...command, now: command.now + 100_000 } : command),
  },
]
