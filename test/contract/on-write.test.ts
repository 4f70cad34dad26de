import { expect, test } from 'vitest'
import { ask, enqueue, newJob } from '../support/store/commands.ts'
import { openStore } from '../support/store/scratch.ts'

test.runIf(process.platform === 'linux')('a write of another connection is told of once, by the operating system', async () => {
  const store = openStore()
  const other = openStore({ database: store.file })
  await ask(other, enqueue(newJob('a')))
  const { promise, resolve } = Promise.withResolvers<void>()
  let told = 0
  const stop = store.onWrite(() => {
    told++
    resolve()
  })
  expect(stop).not.toBeNull()
  await ask(other, enqueue(newJob('b')))
  await promise
  await ask(other, enqueue(newJob('c')))
  expect(told).toBe(1)
  stop?.()
})

test('a watch that was stopped tells nothing, and can be stopped twice', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const stop = store.onWrite(() => expect.unreachable())
  stop?.()
  stop?.()
  await ask(store, enqueue(newJob('b')))
})
