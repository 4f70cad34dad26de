import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { DiaryLine } from '../support/crash/diary.ts'
import { breachesOf } from '../support/crash/verdict.ts'
import { readAudit, startAudit, withDatabase } from '../support/runtime/audit.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'

/** A file on which one job was acknowledged, run and completed as it should be. */
async function healthy(): Promise<{ readonly scratch: Scratch; readonly id: string; readonly diary: readonly DiaryLine[] }> {
  const scratch = new Scratch()
  const runtime = await openRuntime(scratch, new URL('../lifecycle/jobs/basics.ts', import.meta.url))
  startAudit(scratch.database)
  const handle = await runtime.enqueue('echo', 1)
  await handle.result()
  await runtime.close()
  return { scratch, id: handle.id, diary: [{ what: 'acknowledged', id: handle.id, kind: 'echo' }] }
}

const sql = (text: string) => (file: string, id: string) => void withDatabase(file, (db) => db.prepare(text).run({ id }))
/** A change of the row as a wrong store would make it, the CHECKs of the schema put aside. */
const wrongly = (text: string) => (file: string, id: string) =>
  withDatabase(file, (db) => {
    db.pragma('ignore_check_constraints = 1')
    db.prepare(text).run({ id })
  })

describe('each check of the crash tests is able to fail', () => {
  test('and is content with what went right', async () => {
    const { scratch, diary } = await healthy()
    using _ = scratch
    expect(breachesOf(scratch.database, diary)).toEqual([])
    expect(readAudit(scratch.database).map(({ before, after }) => `${before}>${after}`)).toEqual([
      '>ready',
      'ready>running',
      'running>completed',
    ])
  })

  test.each<[string, string, (file: string, id: string) => void]>([
    ['an acknowledged row that is gone', 'acknowledged-is-kept', sql('DELETE FROM reeve_jobs WHERE id = @id')],
    ['a second settle', 'settled-once', sql(`UPDATE reeve_jobs SET state = 'discarded', result = NULL WHERE id = @id`)],
    [
      'a job that runs again after its end',
      'settled-once',
      wrongly(`UPDATE reeve_jobs SET state = 'running', token = token + 1 WHERE id = @id`),
    ],
    [
      'a result of a job that is not completed',
      'result-only-when-settled',
      wrongly(`UPDATE reeve_jobs SET state = 'cancelled' WHERE id = @id`),
    ],
    ['a token that went back', 'token-grows-on-claim', wrongly(`UPDATE reeve_jobs SET token = 0 WHERE id = @id`)],
    [
      'a running job without a lease',
      'running-iff-leased',
      wrongly(`UPDATE reeve_jobs SET state = 'running', settled_at = NULL WHERE id = @id`),
    ],
  ])('on %s', async (_what, promise, harm) => {
    const { scratch, diary, id } = await healthy()
    using _ = scratch
    harm(scratch.database, id)
    expect(breachesOf(scratch.database, diary).map((breach) => breach.promise)).toContain(promise)
  })

  test('on an app that takes a job for stored before its commit', async () => {
    const { scratch, diary } = await healthy()
    using _ = scratch
    const id = randomUUID()
    withDatabase(scratch.database, (db) => {
      db.exec('BEGIN IMMEDIATE')
      db.prepare(
        `INSERT INTO reeve_jobs (id, kind, queue, state, priority, run_at, created_at) VALUES (?, 'echo', 'default', 'ready', 0, 0, 0)`,
      ).run(id)
      // Acknowledged here, and then the process is killed: the file rolls back.
      db.exec('ROLLBACK')
    })
    expect(breachesOf(scratch.database, [...diary, { what: 'acknowledged', id, kind: 'echo' }])).toEqual([
      { promise: 'acknowledged-is-kept', by: id },
    ])
  })

  test('on a claim that charges nothing, and on a reclaim that gives the attempt back', async () => {
    const { scratch, diary } = await healthy()
    using _ = scratch
    withDatabase(scratch.database, (db) => {
      const insert = `INSERT INTO reeve_jobs (id, kind, queue, state, priority, run_at, created_at, attempts_max) VALUES (?, 'echo', 'default', 'ready', 0, 0, 0, 3)`
      const claim = `UPDATE reeve_jobs SET state = 'running', token = token + 1, attempt = attempt + ?, owner = 'a', claim_number = 1, lease_expires_at = 1, claimed_at = 1 WHERE id = ?`
      for (const id of ['uncharged', 'given-back']) db.prepare(insert).run(id)
      db.prepare(claim).run(0, 'uncharged')
      db.prepare(claim).run(1, 'given-back')
      db.exec(
        `UPDATE reeve_jobs SET state = 'ready', owner = NULL, claim_number = NULL, lease_expires_at = NULL, attempt = 0, crashes = 1 WHERE id = 'given-back'`,
      )
    })
    const promises = breachesOf(scratch.database, diary).map((breach) => breach.promise)
    expect(promises).toEqual(expect.arrayContaining(['charged-at-claim', 'attempts-exact']))
  })

  test('on two bodies of one job at once, and not on bodies that follow each other', async () => {
    const { scratch } = await healthy()
    using _ = scratch
    const body = (what: 'start' | 'end', at: number, pid: number, attempt: number): DiaryLine => ({
      what,
      at,
      pid,
      attempt,
      id: 'x',
      kind: 'waits',
      threadId: 1,
    })
    const promises = (...diary: DiaryLine[]) => breachesOf(scratch.database, diary).map((breach) => breach.promise)
    expect(promises(body('start', 1, 1, 1), body('end', 3, 1, 1), body('start', 2, 2, 2))).toEqual(['one-live-attempt'])
    expect(promises(body('start', 1, 1, 1), body('start', 2, 2, 2))).toEqual(['one-live-attempt'])
    expect(promises(body('start', 1, 1, 1), body('start', 2, 2, 2), { what: 'kill', pid: 1, at: 3 })).toEqual([
      'one-live-attempt',
    ])
    expect(promises(body('start', 1, 1, 1), { what: 'kill', pid: 1, at: 2 }, body('start', 3, 2, 2))).toEqual([])
    expect(promises(body('start', 1, 1, 1), body('end', 2, 1, 1), body('start', 3, 2, 2))).toEqual([])
  })
})
