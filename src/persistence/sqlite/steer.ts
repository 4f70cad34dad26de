/**
 * Steer: what people do to jobs by hand, a page at a time. A page looks at a bounded number of rows in the order of `seq`,
 * whatever the filter, so that no commit holds the supervisor up; and no row is looked at twice, so a job that comes back
 * as a dead letter meanwhile is not retried again.
 */
import type { Database, Statement } from 'better-sqlite3'
import type { JobCriteria } from '../../job/job-filter.ts'
import type { SteerAct, SteerAnswer, SteerCommand, SteerCursor, SteeredJob } from '../commands/steer.ts'
import { filterSql } from './filter-sql.ts'
import { prepareOnce } from './operations.ts'
import { type Aside, prepareSteerActs, type SteeredRow, steeredColumns } from './steer-acts.ts'

/** How many rows a page looks at. */
const pageRows = 1_000

/** Prepares the command for a connection. `repeated` says that an earlier run of it may have taken effect. */
export function prepareSteer(db: Database): (command: SteerCommand, repeated: boolean) => SteerAnswer {
  const look = preparePages(db)
  const carryOut = prepareSteerActs(db)
  const steer = (command: SteerCommand): SteerAnswer => {
    const { rows, next } = look(command)
    const jobs: SteeredJob[] = []
    const aside: Aside = { moved: [], held: [] }
    for (const row of rows) if (carryOut(row, command.act, command.now, aside)) jobs.push({ id: row.id, was: row.state })
    const { moved, held } = aside
    return { type: 'steered', jobs, next, ...(moved.length > 0 && { moved }), ...(held.length > 0 && { held }) }
  }
  return prepareOnce<SteerCommand, SteerAnswer>(db, steer)
}

/** The states that an act takes jobs from; rows in others do not count as room. */
const from: Readonly<Record<SteerAct['type'], string>> = {
  retry: "state = 'completed' OR state = 'cancelled' OR state = 'discarded'",
  park: "state = 'ready'",
  reopen: "state = 'parked'",
  discard: "state = 'ready' OR state = 'parked' OR state = 'suspended'",
  delete: "state <> 'running'",
}

interface Page {
  readonly rows: readonly SteeredRow[]
  readonly next: SteerCursor | null
}

function preparePages(db: Database): (command: SteerCommand) => Page {
  const lastSeq = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM reeve_jobs').pluck()
  const all = prepareBound(db, '', '')
  const dead = prepareBound(db, 'INDEXED BY reeve_jobs_listed', `state = 'discarded' AND`)
  const statements = new Map<string, Statement<[Record<string, string | number>], SteeredRow>>()

  const select = (command: SteerCommand, walk: string, window: string, values: Record<string, number>): SteeredRow[] => {
    const { where, parameters } = filterSql(command.criteria)
    const sql = `SELECT ${steeredColumns} FROM reeve_jobs ${walk} WHERE ${window} (${where}) AND (${from[command.act.type]}) ORDER BY seq LIMIT @room`
    const statement = statements.get(sql) ?? db.prepare<[Record<string, string | number>], SteeredRow>(sql)
    statements.set(sql, statement)
    return statement.all({ ...parameters, ...values, room: command.room })
  }
  return (command) => {
    if (command.criteria.ids !== undefined) return { rows: select(command, '', '', {}), next: null }
    const { after, upTo } = command.cursor ?? { after: 0, upTo: lastSeq.get() ?? 0 }
    const isDead = wantsDeadOnly(command.criteria)
    const { last, rows: looked } = (isDead ? dead : all)({ after, upTo })
    const walk = isDead ? 'INDEXED BY reeve_jobs_listed' : 'NOT INDEXED'
    const window = `${isDead ? "state = 'discarded' AND" : ''} seq > @after AND seq <= @last AND`
    const rows = looked === 0 ? [] : select(command, walk, window, { after, last: last ?? 0 })
    const cutAt = rows.length === command.room ? rows.at(-1)?.seq : undefined
    if (cutAt === undefined && looked < pageRows) return { rows, next: null }
    return { rows, next: { after: cutAt ?? last ?? upTo, upTo } }
  }
}

/** The dead letters have an index of their own: they are few among many, and what is steered mostly. */
function wantsDeadOnly({ states }: JobCriteria): boolean {
  return states?.length === 1 && states[0] === 'discarded'
}

function prepareBound(db: Database, walk: string, term: string) {
  const bound = db.prepare<SteerCursor, { last: number | null; rows: number }>(`
    SELECT max(seq) AS last, count(*) AS rows FROM (
      SELECT seq FROM reeve_jobs ${walk} WHERE ${term} seq > @after AND seq <= @upTo ORDER BY seq LIMIT ${pageRows}
    )
  `)
  return (cursor: SteerCursor) => bound.get(cursor) ?? { last: null, rows: 0 }
}
