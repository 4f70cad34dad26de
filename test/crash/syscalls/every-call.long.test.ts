import { expect, test } from 'vitest'
import { judgeAll, playDeaths, playFaults } from '../../support/crash/syscalls/plays.ts'
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

test.each<Fault>(['EIO', 'ENOSPC', 'cut', 'short'])(
  'any one write or sync, the opening of the file included, that ends in %s costs nothing that was acknowledged',
  async (fault) => {
    const folder = scratchFolder()
    const shim = buildShim(folder, 'jobs.db')
    if (typeof shim === 'string') throw new Error(shim)
    const folders = await playFaults(shim, folder, { fault, lasting: false })
    expect(folders.length).toBeGreaterThan(200)
    expect(await judgeAll(folders)).toEqual([])
  },
)
