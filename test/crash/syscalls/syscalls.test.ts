/** Every write and sync of a short scenario fails, is cut off, or is where the process dies. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readDiary } from '../../support/crash/diary.ts'
import { seedOfRun } from '../../support/crash/seeded.ts'
import { undone } from '../../support/crash/syscalls/judge.ts'
import { judgeAll, playDeaths, playFaults, playWhole } from '../../support/crash/syscalls/plays.ts'
import { buildShim, type Fault, type Shim } from '../../support/crash/syscalls/shim.ts'
import { withDatabase } from '../../support/runtime/audit.ts'
import { scratchFolder } from '../../support/store/scratch.ts'

const seed = seedOfRun()
const deaths: readonly Fault[] = ['kill', 'torn', 'power']
/** The calls that make the file, which have been tried before the first job is stored. */
const opening = 80

/** A shim of the present test, which is skipped where there can be none. */
function shimFor(skip: (why: string) => never): { readonly shim: Shim; readonly folder: string } {
  const folder = scratchFolder()
  const shim = buildShim(folder, 'jobs.db')
  if (typeof shim === 'string') return skip(shim)
  return { shim, folder }
}

test.for<Fault>(['EIO', 'ENOSPC', 'cut', 'short'])(
  'any one write or sync that ends in %s costs nothing that was acknowledged',
  {
    timeout: 120_000,
  },
  async (fault, { skip }) => {
    const { shim, folder } = shimFor(skip)
    const folders = await playFaults(shim, folder, { fault, lasting: false })
    expect(folders.length, 'calls that were intercepted').toBeGreaterThan(200)
    expect(await judgeAll(folders)).toEqual([])
  },
)

test.for<Fault>(['EIO', 'ENOSPC', 'EROFS'])(
  'a disk that answers %s from any moment on costs nothing that was acknowledged before',
  async (fault, { skip }) => {
    const { shim, folder } = shimFor(skip)
    const folders = await playFaults(shim, folder, { fault, lasting: true, step: 4 })
    expect(folders.length).toBeGreaterThan(50)
    expect(await judgeAll(folders)).toEqual([])
  },
)

test(`a process that dies at any write or sync, or the machine with it, loses nothing that was acknowledged (REEVE_SEED=${seed})`, {
  timeout: 120_000,
}, async ({ skip }) => {
  const { shim, folder } = shimFor(skip)
  // Each call in one of the ways, by the seed, and a few of the opening; the long suite tries every call in each.
  const faultAt = (call: number) =>
    call < opening && (call + seed) % 8 > 0 ? null : (deaths[(call + seed) % deaths.length] ?? 'kill')
  const folders = await playDeaths(shim, folder, { faultAt, durability: 'power' })
  expect(folders.length).toBeGreaterThan(100)
  expect(await judgeAll(folders), `REEVE_SEED=${seed}`).toEqual([])
})

describe('the checks are able to fail', () => {
  test('on what was acknowledged without a sync when the power goes, and the file is whole all the same', async ({ skip }) => {
    const { shim, folder } = shimFor(skip)
    const faultAt = (call: number) => (call >= opening && call % 9 === 0 ? ('power' as const) : null)
    const folders = await playDeaths(shim, folder, { faultAt, durability: 'process' })
    const promises = new Set((await judgeAll(folders)).map(({ promise }) => promise))
    expect([...promises].toSorted()).toEqual(['acknowledged-is-kept', 'settle-is-kept'])
  })

  test('on a settle that is gone, and on a refused job that is there', async ({ skip }) => {
    const { shim, folder } = shimFor(skip)
    const whole = await playWhole(shim, folder)
    const [database, diary] = [join(whole, 'jobs.db'), readDiary(join(whole, 'diary'))]
    expect(diary.map(({ what }) => what)).toContain('settled')
    expect(undone(database, diary)).toEqual([])
    expect(undone(database, [...diary, { what: 'refused', id: 'a' }])).toEqual([{ promise: 'refused-is-not-stored', by: 'a' }])
    withDatabase(database, (db) => db.prepare(`UPDATE reeve_jobs SET settled_token = NULL WHERE id = 'a'`).run())
    expect(undone(database, diary).map(({ promise }) => promise)).toEqual(['settle-is-kept'])
  })
})
