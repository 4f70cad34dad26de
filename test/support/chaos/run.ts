/** A chaos run from its seed to its verdict. */
import { isTerminal } from '../../../src/job/state.ts'
import { now, readDiary } from '../crash/diary.ts'
import { buildShim } from '../crash/syscalls/shim.ts'
import { type Breach, damaged, wrongChanges } from '../crash/verdict.ts'
import { readAudit, startAudit, withDatabase } from '../runtime/audit.ts'
import { openRuntime, type Scratch } from '../runtime/open-runtime.ts'
import { bodyOverlaps, busySurfaced, endsAsTold, type FinalRow, leaseOverlaps, settleOnce, totalQueue } from './checks.ts'
import { Crowd } from './crowd.ts'
import type { HistoryLine } from './history.ts'
import { planOf } from './plan.ts'

/** How long what is left may take to come to its end. */
const finishMaxMs = 60_000

/** When a run ends: after so many seconds, and not before so many jobs and kills (process, stop, supervisor). */
export interface ChaosOptions {
  readonly seed: number
  readonly seconds: number
  readonly jobsMin?: number
  readonly killsMin?: number
}

/** What came of it. */
export interface ChaosReport {
  readonly breaches: readonly Breach[]
  /** Processes that fell without a blow, with what they said. */
  readonly fallen: readonly string[]
  readonly kills: number
  readonly jobs: number
  /** For people: how much of everything there was. */
  readonly counts: Readonly<Record<string, unknown>>
}

/** Runs it. Everything is in the folder of `scratch`. */
export async function runChaos(scratch: Scratch, options: ChaosOptions): Promise<ChaosReport> {
  const { seed, seconds, jobsMin = 0, killsMin = 0 } = options
  const [database, history] = [scratch.database, scratch.file('history')]
  await (await openRuntime(scratch, undefined, { threads: 0 })).close()
  startAudit(database)
  const shim = buildShim(scratch.folder, 'jobs.db')
  if (typeof shim === 'string') console.log(`No full or failing disk and no step of the wall clock: ${shim}.`)
  const crowd = new Crowd({ database, history, seed, shim: typeof shim === 'string' ? null : shim })
  const isEnough = () => killsOf(crowd) >= killsMin && (jobsMin === 0 || jobsIn(database) >= jobsMin)
  const begunAt = now()
  let blows = 0
  for (const blow of planOf(seed)) {
    await crowd.strike(blow)
    // Counting reads the file, so not after each blow.
    if (now() - begunAt > seconds * 1_000 && ++blows % 10 === 0 && isEnough()) break
  }
  await crowd.end()
  const finished = await crowd.finish(finishMaxMs)
  return {
    ...judge(database, history),
    fallen: reportOfFallen(crowd, finished),
    kills: killsOf(crowd),
    counts: countsOf(crowd, database, history),
  }
}

function killsOf({ blows }: Crowd): number {
  return blows.kill + blows.stop + blows.supervisor
}

function reportOfFallen(crowd: Crowd, finished: boolean): readonly string[] {
  return finished ? crowd.fallen : [...crowd.fallen, `what was left did not come to its end in ${finishMaxMs} ms`]
}

function judge(database: string, file: string): Pick<ChaosReport, 'breaches' | 'jobs'> {
  const history = readDiary<HistoryLine>(file)
  const changes = readAudit(database)
  const rows = finalRows(database)
  const breaches = [
    ...damaged(database),
    ...totalQueue(history, rows),
    ...endsAsTold(history, rows),
    ...busySurfaced(history),
    ...bodyOverlaps(history),
    ...leaseOverlaps(changes),
    ...settleOnce(changes),
    ...wrongChanges(changes),
  ]
  return { breaches, jobs: rows.filter(({ state }) => isTerminal(state)).length }
}

function jobsIn(database: string): number {
  return withDatabase(database, (db) => db.prepare<[], number>('SELECT count(*) FROM reeve_jobs').pluck().get() ?? 0)
}

function finalRows(database: string): readonly FinalRow[] {
  return withDatabase(database, (db) =>
    db.prepare<[], FinalRow>(`SELECT id, input ->> 'key' AS key, state, result ->> '$' AS result FROM reeve_jobs`).all(),
  )
}

function countsOf(crowd: Crowd, database: string, history: string): Readonly<Record<string, unknown>> {
  const lines = new Map<string, number>()
  const count = (name: string, by = 1) => lines.set(name, (lines.get(name) ?? 0) + by)
  for (const line of readDiary<HistoryLine>(history)) {
    if (line.what === 'refused') count(`refused for ${line.cause}`, line.keys.length)
    else if (line.what === 'unclear') count(`unclear for ${line.code}`, line.keys.length)
    else if (line.what === 'offered') count('offered', line.keys.length)
    else count(line.what)
  }
  // Hung, exited, failed, or gone with its thread or process.
  count('bodies without an end', (lines.get('begin') ?? 0) - (lines.get('end') ?? 0))
  const states = withDatabase(database, (db) =>
    db
      .prepare<[], unknown>(
        'SELECT state, count(*) AS jobs, sum(crashes) AS crashes, sum(attempt > 1) AS "tried again" FROM reeve_jobs GROUP BY state',
      )
      .all(),
  )
  return {
    blows: crowd.blows,
    processes: crowd.started,
    told: Object.fromEntries(crowd.told),
    history: Object.fromEntries(lines),
    states,
  }
}
