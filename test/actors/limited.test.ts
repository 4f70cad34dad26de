import { expect, test } from 'vitest'
import { openDispatcher } from '../support/sim/open-dispatcher.ts'

test('after a claim that met a full limit a settle asks again: it may have made room', async () => {
  const { pool, claimed, committer, dispatcher, settled } = openDispatcher()
  dispatcher.start()
  await claimed(['a'], null, { limited: true })
  pool.returns('a')
  const before = committer.of('claim').length
  await settled('a')
  expect(committer.of('claim').length).toBe(before + 1)
})

test('after a claim that met none a settle asks for nothing', async () => {
  const { pool, claimed, committer, dispatcher, settled } = openDispatcher()
  dispatcher.start()
  await claimed(['a'])
  pool.returns('a')
  const before = committer.of('claim').length
  await settled('a')
  expect(committer.of('claim').length).toBe(before)
})
