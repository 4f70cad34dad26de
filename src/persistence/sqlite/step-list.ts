/** The steps of one job, as its handler and as people see them. */
import type { Database } from 'better-sqlite3'
import type { ErrorRecord } from '../../job/error-record.ts'
import type { JobId } from '../../job/lease.ts'
import type { StoredPayload } from '../../job/payload.ts'
import type { RememberedStep, StepState, StepType } from '../../job/step.ts'
import type { StepRow } from '../step-row.ts'

/** Values that are larger (characters, or bytes) are asked for one by one: most runs replay only the small ones at once. */
const valueInListMax = 16_384

interface StepColumns {
  readonly name: string
  readonly type: StepType
  readonly state: StepState
  readonly about: string
  readonly attempt: number
  readonly stands: 0 | 1
  readonly error: string | null
  readonly value: StoredPayload
  readonly is_large: 0 | 1
}

/** Prepares the list that a running handler gets, in the order in which the steps were first written. */
export function prepareStepList(db: Database): (job: number) => RememberedStep[] {
  const rows = db.prepare<[number], StepColumns>(`
    SELECT name, type, state, about, attempt, stands, error, coalesce(length(value), 0) > ${valueInListMax} AS is_large,
      iif(length(value) > ${valueInListMax}, NULL, value) AS value
    FROM reeve_steps WHERE job = ? ORDER BY seq
  `)
  return (job) =>
    rows.all(job).map(({ stands, error, value, is_large, ...step }) => ({
      ...step,
      stands: stands === 1,
      error: errorOf(error),
      ...(is_large === 0 && { value }),
    }))
}

/** Prepares the list that people get: null where no job has this id. */
export function prepareStepRows(db: Database): (id: JobId) => StepRow[] | null {
  const job = db.prepare<[JobId], { readonly seq: number; readonly token: number }>(
    'SELECT seq, token FROM reeve_jobs WHERE id = ?',
  )
  const rows = db.prepare<
    [number],
    Omit<StepRow, 'error' | 'replayed'> & { readonly error: string | null; readonly token: number }
  >(`
    SELECT name, type, state, attempt, token, started_at AS startedAt, ended_at AS endedAt, wake_at AS until, event,
      match_key AS "match", child, error, value
    FROM reeve_steps WHERE job = ? ORDER BY seq
  `)
  return (id) => {
    const found = job.get(id)
    if (found === undefined) return null
    return rows.all(found.seq).map(({ token, error, ...row }) => ({
      ...row,
      error: errorOf(error),
      replayed: row.state === 'ended' && token < found.token,
    }))
  }
}

function errorOf(error: string | null): ErrorRecord | null {
  return error === null ? null : (JSON.parse(error) as ErrorRecord)
}
