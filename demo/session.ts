/** What outlives the processes of the crash demo: the database, the list of acknowledged jobs, a line for each start of a handler. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files of a session folder. */
export function sessionFiles(session: string) {
  return {
    database: join(session, 'demo.db'),
    acknowledged: join(session, 'acknowledged.txt'),
    starts: join(session, 'starts.txt'),
  }
}

/** Writes the list in one step, so that nobody reads half of it. */
export function keepAcknowledged(session: string, ids: readonly string[]): void {
  const { acknowledged } = sessionFiles(session)
  writeFileSync(`${acknowledged}.new`, ids.join('\n'))
  renameSync(`${acknowledged}.new`, acknowledged)
}

/** The ids of the jobs whose enqueue was acknowledged. */
export function acknowledgedIds(session: string): readonly string[] {
  return readFileSync(sessionFiles(session).acknowledged, 'utf8').split('\n')
}

/** The job ids of all handler starts so far, oldest first; a job that started twice is there twice. */
export function startedIds(session: string): readonly string[] {
  const { starts } = sessionFiles(session)
  return existsSync(starts) ? readFileSync(starts, 'utf8').split('\n').slice(0, -1) : []
}
