import { expect, test } from 'vitest'
import { type FileListener, JobWatch } from '../../src/actors/job-watch.ts'
import { ReeveError } from '../../src/errors.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { silentLogger } from '../support/sim/sim-owner.ts'

function openWatch(reload: () => Promise<unknown> = async () => undefined) {
  const clock = new ManualClock()
  const seen = { reloads: 0, opened: 0, closed: 0, troubles: [] as string[], broken: false }
  let listener: FileListener | undefined
  const watch = new JobWatch({
    clock,
    logger: silentLogger,
    watchFiles: (told) => {
      if (seen.broken) throw new Error('no such folder')
      seen.opened++
      listener = told
      return { close: () => void seen.closed++ }
    },
    reload: () => {
      seen.reloads++
      return reload()
    },
    trouble: ({ message }) => void seen.troubles.push(message),
  })
  watch.start()
  return { clock, seen, watch, files: () => listener as FileListener }
}

test('many changes at once are one reload, once all is quiet', async () => {
  const { clock, seen, files } = openWatch()
  for (let count = 0; count < 5; count++) {
    files().changed('a.ts')
    await clock.advance(99)
  }
  expect(seen.reloads).toBe(0)
  await clock.advance(1)
  expect(seen.reloads).toBe(1)
  await clock.advance(10_000)
  expect(seen.reloads).toBe(1)
})

test('changes without an end do not put it off for ever', async () => {
  const { clock, seen, files } = openWatch()
  for (let count = 0; count < 50; count++) {
    files().changed('a.ts')
    await clock.advance(50)
  }
  expect(seen.reloads).toBe(1)
})

test('a reload that fails is told of, unless the runtime is closing', async () => {
  const errors = [new Error('broken'), new ReeveError('REEVE_RUNTIME_CLOSED', 'closed')]
  const { clock, seen, files } = openWatch(() => Promise.reject(errors.shift()))
  for (let count = 0; count < 2; count++) {
    files().changed('a.ts')
    await clock.advance(100)
  }
  expect([seen.reloads, seen.troubles]).toEqual([2, ['broken']])
})

test('a watch that fails is told of once, tried until it works, and followed by a reload', async () => {
  const { clock, seen, files } = openWatch()
  seen.broken = true
  files().failed(new Error('gone'))
  files().failed(new Error('gone'))
  await clock.advance(5_000)
  expect(seen).toMatchObject({ opened: 1, closed: 1, reloads: 0, troubles: ['gone'] })
  seen.broken = false
  await clock.advance(1_100)
  expect(seen).toMatchObject({ opened: 2, reloads: 1, troubles: ['gone'] })
  files().failed(new Error('again'))
  expect(seen.troubles).toEqual(['gone', 'again'])
})

test('nothing comes of a change after the stop', async () => {
  const { clock, seen, watch, files } = openWatch()
  files().changed('a.ts')
  files().failed(new Error('gone'))
  watch.stop()
  files().changed('a.ts')
  await clock.advance(10_000)
  expect(seen).toMatchObject({ opened: 1, closed: 1, reloads: 0 })
})
