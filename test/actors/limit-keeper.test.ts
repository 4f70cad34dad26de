import { expect, test } from 'vitest'
import { LimitKeeper } from '../../src/actors/limit-keeper.ts'
import type { KindCatalog } from '../../src/job/kind.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { StubCommitter } from '../support/sim/stub-store.ts'

const catalog: KindCatalog = { send: { limits: { concurrency: { limit: 2, reach: 'global' } } }, free: {} }

function open({ globalLimits = true, runsJobs = true } = {}) {
  const committer = new StubCommitter()
  const keeper = new LimitKeeper({
    ...{ committer, clock: new ManualClock(), store: { enforces: { globalLimits } }, queues: null, runsJobs },
    ...{ queueLimits: {}, resources: {} },
  })
  return { committer, keeper }
}

test('the start waits until the limits are written', async () => {
  const { committer, keeper } = open()
  keeper.useKinds(catalog)
  let started = false
  const starting = keeper.start().then(() => (started = true))
  await Promise.resolve()
  expect(started).toBe(false)
  const [declared] = committer.of('declare-limits')
  expect(declared).toMatchObject({ kinds: ['send', 'free'], queues: null, limits: [{ name: 'send', concurrency: 2 }] })
  declared?.answer({ type: 'limits-declared' })
  await starting
})

test('a start fails with what the database refused', async () => {
  const { committer, keeper } = open()
  keeper.useKinds(catalog)
  committer.of('declare-limits')[0]?.fail(new Error('full'))
  await expect(keeper.start()).rejects.toThrow('full')
})

test('a runtime that runs nothing and limits nothing declares nothing', async () => {
  const { committer, keeper } = open({ runsJobs: false })
  keeper.useKinds({})
  await keeper.start()
  expect(committer.submitted).toEqual([])
})

test('a store that cannot keep a limit over all processes is refused, unless the limit is local', () => {
  const { keeper } = open({ globalLimits: false })
  expect(() => keeper.useKinds(catalog)).toThrow(expect.objectContaining({ code: 'REEVE_LIMIT_UNENFORCED' }))
  const local = { send: { limits: { concurrency: { limit: 2, reach: 'local' } } } } as const
  expect(keeper.useKinds(local)).toEqual([{ kinds: ['send'], queue: null, limit: 2 }])
})
