import { expect, test } from 'vitest'
import { WaitingRoom } from '../../src/actors/waiting-room.ts'

/** A room whose looks are driven by hand, and calls that are admitted while there is room. */
function bench() {
  let look: (() => void) | undefined
  const room = new WaitingRoom({
    clock: {
      after(_ms, run) {
        look = () => {
          look = undefined
          run()
        }
        return { cancel: () => undefined }
      },
    },
    failed: (error) => {
      throw error
    },
  })
  const log: string[] = []
  const free = new Map<string, number>()
  const wait = (call: number, queue: string) =>
    room.wait(
      call,
      queue,
      async () => {
        const left = free.get(queue) ?? 0
        log.push(`${call} ${left > 0 ? 'in' : 'full'}`)
        free.set(queue, left - 1)
        return left > 0
      },
      () => log.push(`${call} withdrawn`),
    )
  const lookNow = async () => {
    log.length = 0
    look?.()
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    return [...log]
  }
  return { room, free, wait, lookNow, log, isLooking: () => look !== undefined }
}

test('whoever waits is admitted in order, and nobody passes one of the same queue', async () => {
  const { room, free, wait, lookNow } = bench()
  wait(1, 'mail')
  wait(2, 'mail')
  wait(3, 'other')
  expect(room.isAwaited('mail')).toBe(true)
  expect(await lookNow()).toEqual(['1 full', '3 full'])
  free.set('mail', 1)
  free.set('other', 1)
  expect(await lookNow()).toEqual(['1 in', '2 full', '3 in'])
  free.set('mail', 1)
  expect(await lookNow()).toEqual(['2 in'])
  expect(room.isAwaited('mail')).toBe(false)
})

test('one that is withdrawn is told at once and never tried again; one that is being tried may still come in', async () => {
  const { room, free, wait, lookNow, log } = bench()
  wait(1, 'mail')
  room.withdraw(1)
  expect(log).toEqual(['1 withdrawn'])
  expect(room.isAwaited('mail')).toBe(false)
  free.set('mail', 1)
  wait(2, 'mail')
  const looking = lookNow()
  room.withdraw(2)
  expect(await looking).toEqual(['2 in'])
})

test('an empty room does not look', async () => {
  const { free, wait, lookNow, isLooking } = bench()
  free.set('mail', 1)
  wait(1, 'mail')
  expect(isLooking()).toBe(true)
  expect(await lookNow()).toEqual(['1 in'])
  expect(isLooking()).toBe(false)
})
