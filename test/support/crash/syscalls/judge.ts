/** What must hold of a file after a fault, and that it can be worked with again. */
import { existsSync } from 'node:fs'
import { openSqliteStore } from '../../../../src/persistence/sqlite/open.ts'
import { holdPresence } from '../../../../src/persistence/sqlite/presence.ts'
import { withDatabase } from '../../runtime/audit.ts'
import { ask, claim, complete, enqueue, newJob, ownerId, reclaim, settle } from '../../store/commands.ts'
import { type DiaryLine, readDiary } from '../diary.ts'
import { type Breach, damaged, lost } from '../verdict.ts'

/** Everything wrong with the database in a folder where the scenario was played. Whoever played it is dead. */
export async function judge(database: string, diary: string): Promise<readonly Breach[]> {
  // Opening makes the schema where the fault came before it.
  await openSqliteStore({ database, durability: 'process' }).close()
  const lines = existsSync(diary) ? readDiary(diary) : []
  return [...damaged(database), ...lost(database, lines), ...undone(database, lines), ...(await stuck(database))]
}

interface Row {
  readonly id: string
  readonly state: string
  readonly token: number
  readonly settledToken: number | null
}

/** Acknowledged settles that the rows do not show, and jobs that were refused and are there. */
export function undone(database: string, diary: readonly DiaryLine[]): readonly Breach[] {
  const rows = withDatabase(database, (db) =>
    db.prepare<[], Row>('SELECT id, state, token, settled_token AS settledToken FROM reeve_jobs').all(),
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return diary.flatMap((line) => {
    if (line.what === 'refused') return byId.has(line.id) ? [{ promise: 'refused-is-not-stored', by: line.id }] : []
    if (line.what !== 'settled') return []
    const row = byId.get(line.id)
    const kept = row !== undefined && (row.settledToken ?? 0) >= line.token
    return kept && (row.token > line.token || row.state === line.state)
      ? []
      : [{ promise: 'settle-is-kept', by: JSON.stringify([line, row]) }]
  })
}

/** The next process finds the dead one dead, takes its jobs back, and brings everything to its end. */
async function stuck(database: string): Promise<readonly Breach[]> {
  const store = openSqliteStore({ database, durability: 'process' })
  const owner = ownerId('next')
  const presence = holdPresence({ database, owner })
  try {
    for (const other of await store.otherOwners(owner)) {
      if (!presence.isDead(other)) return [{ promise: 'dead-is-found-dead', by: other }]
      await ask(store, reclaim(other))
      presence.forget(other)
    }
    await ask(store, enqueue(newJob('afterwards')))
    for (;;) {
      const { jobs, suspectsDue } = await ask(store, claim({ owner, alone: true, limit: 100 }))
      if (jobs.length === 0 && !suspectsDue) break
      for (const { id, token } of jobs) await ask(store, settle({ jobId: id, token }, complete))
    }
    const { ready, running } = await store.counts()
    const left = ready + running === 0 ? [] : [{ promise: 'nothing-is-stuck', by: JSON.stringify({ ready, running }) }]
    return [...left, ...(await store.violations()).map(({ invariant, violator }) => ({ promise: invariant, by: violator }))]
  } finally {
    presence.release()
    await store.close()
  }
}
