import { expect, test } from 'vitest'
import { judgeAll, playDeaths, playFaults, shimOr } from '../../support/crash/syscalls/plays.ts'
import type { Fault } from '../../support/crash/syscalls/shim.ts'

function fail(why: string): never {
  throw new Error(why)
}

test.each<Fault>(['kill', 'torn', 'power'])(
  'a death by %s at each write and sync, the opening of the file included, loses nothing',
  async (fault) => {
    const { shim, folder } = shimOr(fail)
    const folders = await playDeaths(shim, folder, { faultAt: () => fault, durability: 'power' })
    expect(folders.length).toBeGreaterThan(200)
    expect(await judgeAll(folders)).toEqual([])
  },
)

test.each<Fault>(['EIO', 'ENOSPC', 'cut', 'short'])(
  'any one write or sync, the opening of the file included, that ends in %s costs nothing that was acknowledged',
  async (fault) => {
    const { shim, folder } = shimOr(fail)
    const folders = await playFaults(shim, folder, { fault, lasting: false })
    expect(folders.length).toBeGreaterThan(200)
    expect(await judgeAll(folders)).toEqual([])
  },
)
