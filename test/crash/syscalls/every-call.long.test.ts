import { expect, test } from 'vitest'
import { judgeAll, playDeaths } from '../../support/crash/syscalls/plays.ts'
import { buildShim, type Fault } from '../../support/crash/syscalls/shim.ts'
import { scratchFolder } from '../../support/store/scratch.ts'

test.each<Fault>(['kill', 'torn', 'power'])(
  'a death by %s at each write and sync, the opening of the file included, loses nothing',
  async (fault) => {
    const folder = scratchFolder()
    const shim = buildShim(folder, 'jobs.db')
    if (typeof shim === 'string') throw new Error(shim)
    const folders = await playDeaths(shim, folder, { faultAt: () => fault, durability: 'power' })
    expect(folders.length).toBeGreaterThan(200)
    expect(await judgeAll(folders)).toEqual([])
  },
)
