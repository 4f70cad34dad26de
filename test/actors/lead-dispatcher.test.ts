import { expect, test } from 'vitest'
import { LeadDispatcher } from '../../src/actors/lead-dispatcher.ts'
import { claimedJob, openDispatcher } from '../support/sim/open-dispatcher.ts'
import { StubPool } from '../support/sim/stub-pool.ts'
import { lease } from '../support/store/commands.ts'

const quiet = () => undefined

/** A lead with one inline consumer of the queue 'pages', which has one slot; both have claimed and found nothing. */
async function openLead() {
  const base = openDispatcher({}, LeadDispatcher)
  const lead = base.dispatcher as LeadDispatcher
  const pool = new StubPool(1)
  const told: string[] = []
  lead.start()
  await base.claimed([])
  const inline = lead.recruit({
    queue: 'pages',
    groupMax: 2,
    pool,
    listener: { settled: () => void told.push('settled') },
    tookNothing: () => void told.push('nothing'),
    draining: () => void told.push('draining'),
  })
  inline.start()
  await base.claimed([])
  return { ...base, lead, inline, inlinePool: pool, told }
}

test('each takes from its own queues, and no two claims of one owner have one number', async () => {
  const { committer, lead } = await openLead()
  lead.wake()
  const claims = committer
    .of('claim')
    .map(({ queues, queuesExcluded, groupMax, claimNumber }) => ({ queues, queuesExcluded, groupMax, claimNumber }))
  expect(claims).toEqual([
    { queues: null, queuesExcluded: [], groupMax: null, claimNumber: 1 },
    { queues: ['pages'], queuesExcluded: [], groupMax: 2, claimNumber: 2 },
    { queues: null, queuesExcluded: ['pages'], groupMax: null, claimNumber: 3 },
    { queues: ['pages'], queuesExcluded: [], groupMax: 2, claimNumber: 4 },
  ])
})

test('leases, cancels, lost leases and loads are those of all', async () => {
  const { lead, inline, inlinePool, claimed } = await openLead()
  inline.wake()
  await claimed(['a'])
  expect([lead.leases(), lead.load()]).toEqual([[lease('a', 1)], { running: 1, held: 0 }])
  lead.cancel(lease('a', 1))
  expect(inlinePool.run('a').stops).toEqual(['cancel'])
  lead.leasesLost([lease('a', 1)])
  expect(inlinePool.run('a').terminated).toBe(true)
})

test('a suspect in the app waits until the worker threads are empty, and they wait until it has ended', async () => {
  const { lead, inline, pool, inlinePool, committer, clock, claimed, settled } = await openLead()
  lead.wake()
  const [threads, app] = committer.of('claim').slice(-2)
  const claims = () => committer.of('claim').length
  const before = claims()
  threads?.answer({ type: 'claimed', jobs: [claimedJob('busy')], nextRunAt: null, suspectsDue: false, limited: false })
  app?.answer({ type: 'claimed', jobs: [], nextRunAt: null, suspectsDue: true, limited: false })
  await clock.turns()
  inline.wake()
  expect(claims()).toBe(before)
  pool.returns('busy')
  await settled('busy')
  pool.frees('busy')
  expect(committer.of('claim').at(-1)).toMatchObject({ queues: ['pages'], alone: true })
  await claimed(['suspect'], null, { claimed: true })
  expect(inlinePool.runs).toHaveLength(1)

  const meanwhile = claims()
  lead.wake()
  expect(claims()).toBe(meanwhile)
  inlinePool.returns('suspect')
  await settled('suspect')
  inlinePool.frees('suspect')
  const resumed = committer.of('claim').slice(meanwhile)
  expect(resumed.map(({ queues }) => queues)).toContain(null)
})

test('a drain is of all, and nobody is recruited after it', async () => {
  const { lead, inline, inlinePool, claimed, settled, told, clock } = await openLead()
  inline.wake()
  await claimed(['a'])
  let drained = false
  void lead.drain().then(() => {
    drained = true
  })
  await clock.turns()
  expect([told.includes('draining'), drained]).toEqual([true, false])
  inlinePool.returns('a')
  inlinePool.frees('a')
  await settled('a')
  expect(drained).toBe(true)
  const recruit = { queue: 'q', groupMax: null, pool: new StubPool(1), listener: {}, tookNothing: quiet, draining: quiet }
  expect(() => lead.recruit(recruit)).toThrow(expect.objectContaining({ code: 'REEVE_RUNTIME_CLOSED' }))
})

test('once a consumer has ended its queue is the worker threads again', async () => {
  const { lead, inline, committer } = await openLead()
  lead.dismiss(inline)
  expect(committer.of('claim').at(-1)).toMatchObject({ queues: null, queuesExcluded: [] })
})
