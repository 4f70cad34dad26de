import { expect, test } from 'vitest'
import { readDiary } from '../support/crash/diary.ts'
import type jobs from '../support/crash/jobs.ts'
import { drawsOf, seedOfRun } from '../support/crash/seeded.ts'
import { breachesOf, unfinished } from '../support/crash/verdict.ts'
import { Victim } from '../support/crash/victim.ts'
import { startAudit, withDatabase } from '../support/runtime/audit.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'

const jobsUrl = new URL('../support/crash/jobs.ts', import.meta.url)
const seed = seedOfRun()
const rounds = 50

test(`${rounds} processes killed one after the other on one file lose no acknowledged job, settle none twice, and run none twice at once (REEVE_SEED=${seed})`, {
  timeout: 240_000,
}, async () => {
  console.log(`REEVE_SEED=${seed}`)
  using scratch = new Scratch()
  const [database, diary] = [scratch.database, scratch.file('diary')]
  const draw = drawsOf(seed)
  await (await openRuntime(scratch, undefined, { threads: 0 })).close()
  startAudit(database)
  const next = () => new Victim({ database, diary, durability: draw(0, 1) === 0 ? 'power' : 'process', seed: draw(0, 2 ** 30) })

  // Two processes share the file at any time, so that what one is killed with is taken over by one that lives.
  let older = next()
  for (let round = 0; round < rounds; round++) {
    const younger = next()
    await older.printed(draw(0, 9) === 0 ? 1 : draw(2, 40))
    await older.killAfter(draw(0, 25))
    expect(older.errors).toBe('')
    expect(breachesOf(database, readDiary(diary)), `after kill ${round + 1} with REEVE_SEED=${seed}`).toEqual([])
    older = younger
  }
  await older.killAfter(0)

  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { threads: 2 })
  const acknowledged = readDiary(diary).filter((line) => line.what === 'acknowledged')
  expect(acknowledged.length).toBeGreaterThan(rounds)
  for (const { id } of acknowledged) await (await runtime.handle(id)).result().catch(() => undefined)
  // Jobs that were committed and not acknowledged are jobs all the same.
  const left = withDatabase(database, (db) =>
    db.prepare<[], string>(`SELECT id FROM reeve_jobs WHERE state IN ('ready', 'running')`).pluck().all(),
  )
  for (const id of left) await (await runtime.handle(id)).result().catch(() => undefined)
  await runtime.close()

  expect(unfinished(database)).toEqual([])
  expect(breachesOf(database, readDiary(diary))).toEqual([])
  const ended = readDiary(diary).flatMap((line) => (line.what === 'end' ? [line.id] : []))
  expectChargesRight(database, new Set(ended))
})

/** What each job was charged and how it ended, from the rows alone. */
function expectChargesRight(database: string, bodies: ReadonlySet<string>): void {
  interface Row {
    id: string
    kind: string
    state: string
    attempt: number
    crashes: number
    result: string | null
  }
  const rows = withDatabase(database, (db) =>
    db.prepare<[], Row>('SELECT id, kind, state, attempt, crashes_alone AS crashes, result FROM reeve_jobs').all(),
  )
  for (const { id, kind, state, attempt, crashes, result } of rows) {
    const failures = attempt - crashes - (state === 'completed' ? 1 : 0)
    expect(failures, `${kind} ${id}: ${state} at attempt ${attempt} after ${crashes} crashes`).toBeLessThanOrEqual(
      kind === 'failsFirst' || kind === 'overruns' ? 1 : 0,
    )
    expect(failures).toBeGreaterThanOrEqual(0)
    // Only a job that lost all its attempts, or three processes that held nothing else, is a dead letter.
    if (state === 'discarded') expect(attempt === 4 || crashes === 3).toBe(true)
    else {
      expect(JSON.parse(result ?? 'null')).toBe(attempt)
      expect(bodies.has(id), `${id} is completed, so a body of it came to its end`).toBe(true)
    }
  }
  const lost = rows.reduce((sum, { crashes }) => sum + crashes, 0)
  console.log(
    `${rows.length} jobs, ${lost} attempts lost to kills, ${rows.filter(({ state }) => state === 'discarded').length} discarded`,
  )
  expect(lost).toBeGreaterThan(0)
  // Most jobs were never in a process that died.
  expect(rows.filter(({ state }) => state === 'completed').length).toBeGreaterThan(rows.length / 2)
}
