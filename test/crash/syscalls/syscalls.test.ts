/** Every write and sync of a short scenario fails, is cut off, or is where the process dies. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readDiary } from '../../support/crash/diary.ts'
import { seedOfRun } from '../../support/crash/seeded.ts'
import { undone } from '../../support/crash/syscalls/judge.ts'
import { judgeAll, playDeaths, playFaults, playWhole, shimOr } from '../../support/crash/syscalls/plays.ts'
import type { Fault } from '../../support/crash/syscalls/shim.ts'
import { withDatabase } from '../../support/runtime/audit.ts'

const seed = seedOfRun()
/** Half a minute on an idle machine; one that is busy may take its time. */
const timeout = 240_000
const deaths: readonly Fault[] = ['kill', 'torn', 'power']

/** Most calls make the file, each migration a commit of its own: of these every sixteenth is tried here, and every one in the long suite. */
const openingStep = 16
const first = 1 + (seed % openingStep)

test.for<Fault>(['EIO', 'ENOSPC', 'cut', 'short'])(
  `any one write or sync that ends in %s costs nothing that was acknowledged (REEVE_SEED=${seed})`,
  { timeout },
  async (fault, { skip }) => {
    const { shim, folder } = shimOr(skip)
    const { calls } = await playWhole(shim, folder)
    const folders = await playFaults(shim, folder, { fault, lasting: false, first, opening: calls.opening, openingStep })
    expect(folders.length, 'calls that met a fault').toBeGreaterThan(calls.all - calls.opening)
    expect(await judgeAll(folders)).toEqual([])
  },
)

test.for<Fault>(['EIO', 'ENOSPC', 'EROFS'])(
  `a disk that answers %s from any moment on costs nothing that was acknowledged before (REEVE_SEED=${seed})`,
  { timeout },
  async (fault, { skip }) => {
    const { shim, folder } = shimOr(skip)
    const { calls } = await playWhole(shim, folder)
    const sample = { first, step: 4, opening: calls.opening, openingStep: 2 * openingStep }
    const folders = await playFaults(shim, folder, { fault, lasting: true, ...sample })
    expect(folders.length).toBeGreaterThan((calls.all - calls.opening) / 4)
    expect(await judgeAll(folders)).toEqual([])
  },
)

test(`a process that dies at any write or sync, or the machine with it, loses nothing that was acknowledged (REEVE_SEED=${seed})`, {
  timeout,
}, async ({ skip }) => {
  const { shim, folder } = shimOr(skip)
  const { calls } = await playWhole(shim, folder)
  // Each call in one of the ways, by the seed; the long suite tries every call in each.
  const faultAt = (call: number) =>
    call < calls.opening && (call + seed) % openingStep > 0 ? null : (deaths[(call + seed) % deaths.length] ?? 'kill')
  const folders = await playDeaths(shim, folder, { faultAt, durability: 'power' })
  expect(folders.length).toBeGreaterThan(calls.all - calls.opening)
  expect(await judgeAll(folders), `REEVE_SEED=${seed}`).toEqual([])
})

describe('the checks are able to fail', () => {
  test('on what was acknowledged without a sync when the power goes, and the file is whole all the same', async ({ skip }) => {
    const { shim, folder } = shimOr(skip)
    const { calls } = await playWhole(shim, folder)
    const faultAt = (call: number) => (call >= calls.opening && call % 9 === 0 ? ('power' as const) : null)
    const folders = await playDeaths(shim, folder, { faultAt, durability: 'process' })
    const promises = new Set((await judgeAll(folders)).map(({ promise }) => promise))
    expect([...promises].toSorted()).toEqual(['acknowledged-is-kept', 'settle-is-kept'])
  })

  test('on a settle that is gone, and on a refused job that is there', async ({ skip }) => {
    const { shim, folder } = shimOr(skip)
    const { home: whole } = await playWhole(shim, folder)
    const [database, diary] = [join(whole, 'jobs.db'), readDiary(join(whole, 'diary'))]
    expect(diary.map(({ what }) => what)).toContain('settled')
    expect(undone(database, diary)).toEqual([])
    expect(undone(database, [...diary, { what: 'refused', id: 'a' }])).toEqual([{ promise: 'refused-is-not-stored', by: 'a' }])
    withDatabase(database, (db) => db.prepare(`UPDATE reeve_jobs SET settled_token = NULL WHERE id = 'a'`).run())
    expect(undone(database, diary).map(({ promise }) => promise)).toEqual(['settle-is-kept'])
  })
})
