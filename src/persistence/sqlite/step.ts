/**
 * Step: a running attempt reads what is remembered and remembers more, under its token. A row that has ended is never written
 * again (invariants `step-write-fenced`, `step-replay-stable`).
 */
import type { Database } from 'better-sqlite3'
import type { Lease } from '../../job/lease.ts'
import type { StoredPayload } from '../../job/payload.ts'
import type { StepOperation, StepOutcome } from '../../job/step.ts'
import type { StepAnswer, StepCommand } from '../commands/step.ts'
import { payloadToColumn } from './job-columns.ts'
import { prepareStepList } from './step-list.ts'

interface HolderRow {
  readonly seq: number
  readonly attempt: number
}

/** Prepares the command for a connection. */
export function prepareStep(db: Database): (command: StepCommand) => StepAnswer {
  const holder = db.prepare<[string, number], HolderRow>(
    "SELECT seq, attempt FROM reeve_jobs WHERE id = ? AND state = 'running' AND token = ?",
  )
  const run = prepareOperations(db)
  return ({ lease, operation, now }) => {
    const job = holder.get(lease.jobId, lease.token)
    return { type: 'step', outcome: job === undefined ? { type: 'stale' } : run(job, lease, operation, now) }
  }
}

function prepareOperations(db: Database) {
  const list = prepareStepList(db)
  const value = db
    .prepare<[number, string], StoredPayload>("SELECT value FROM reeve_steps WHERE job = ? AND name = ? AND state = 'ended'")
    .pluck()
  const remember = db.prepare(`
    INSERT INTO reeve_steps (job, name, type, state, attempt, token, started_at, ended_at, value)
    VALUES (@job, @name, 'run', 'ended', @attempt, @token, @startedAt, @now, @value)
    ON CONFLICT (job, name) DO UPDATE SET type = 'run', state = 'ended', attempt = excluded.attempt, token = excluded.token,
      started_at = excluded.started_at, ended_at = excluded.ended_at, error = NULL, value = excluded.value
      WHERE state = 'failed'
  `)
  const fail = db.prepare(`
    INSERT INTO reeve_steps (job, name, type, state, attempt, token, started_at, ended_at, error)
    VALUES (@job, @name, @type, 'failed', @attempt, @token, @startedAt, @now, @error)
    ON CONFLICT (job, name) DO UPDATE SET stands = 1, error = excluded.error, ended_at = excluded.ended_at WHERE state = 'failed'
  `)
  const standing = db.prepare<[number, string], { readonly token: number; readonly value: StoredPayload }>(
    'SELECT token, value FROM reeve_steps WHERE job = ? AND name = ?',
  )

  return ({ seq: job, attempt }: HolderRow, { token }: Lease, operation: StepOperation, now: number): StepOutcome => {
    switch (operation.type) {
      case 'list':
        return { type: 'listed', steps: list(job) }
      case 'value':
        return { type: 'value', value: value.get(job, operation.name) ?? null }
      case 'end': {
        const { name, startedAt } = operation
        const { changes } = remember.run({ job, name, attempt, token, startedAt, now, value: payloadToColumn(operation.value) })
        const row = changes === 1 ? undefined : standing.get(job, name)
        // A token runs a name to its end once, so its own row is what the first run of this command wrote.
        return row === undefined || row.token === token ? { type: 'remembered' } : { type: 'remembered', standing: row.value }
      }
      case 'fail': {
        const { name, stepType: type, startedAt, error } = operation
        fail.run({ job, name, type, attempt, token, startedAt, now, error: JSON.stringify(error) })
        return { type: 'remembered' }
      }
    }
  }
}
