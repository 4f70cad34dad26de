/** Measurements of real processes. They are printed; the bounds are the promises. */
import { expect, test } from 'vitest'
import { median } from '../../bench/statistics.ts'
import type jobs from '../support/processes/jobs.ts'
import { lasts } from '../support/processes/last.ts'
import { restarts, takeOverMs } from '../support/processes/orphans.ts'
import { Peer } from '../support/processes/peer.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'

function report(what: string, values: readonly number[]): number {
  const middle = median(values)
  console.log(`${what}: median ${middle.toFixed(0)} ms, worst ${Math.max(...values).toFixed(0)} ms of ${values.length}`)
  return middle
}

test('after kill -9 of one of two processes the other starts its job again within 250 ms', async () => {
  expect(report('taken over', await takeOverMs(20))).toBeLessThanOrEqual(250)
})

test('after a restart of the only process its job has run within 250 ms of the opening', async () => {
  const found = await restarts(20)
  report(
    'opened',
    found.map(({ openMs }) => openMs),
  )
  expect(
    report(
      'and run again',
      found.map(({ thenMs }) => thenMs),
    ),
  ).toBeLessThanOrEqual(250)
})

test('a job that another process enqueued starts within 50 ms', async () => {
  using scratch = new Scratch()
  await using client = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  using worker = new Peer(scratch.database, { threads: 1 })
  await worker.said('open')
  const waits: number[] = []
  for (let round = 0; round < 50; round++) {
    const handle = await client.enqueue('now')
    const acknowledgedAt = Date.now()
    waits.push((await handle.result()) - acknowledgedAt)
  }
  expect(report('woken', waits)).toBeLessThanOrEqual(50)
  await worker.end()
})

test.each([
  [1, 0.5],
  // Each probes the other one's lock; and both share the caches of one machine.
  [2, 0.8],
] as const)('of %i idle runtimes on one file each uses less than %d % of a core', async (count, percent) => {
  using scratch = new Scratch()
  const workers = Array.from({ length: count }, () => new Peer(scratch.database, { threads: 2, durability: 'power' }))
  await Promise.all(workers.map((worker) => worker.said('open')))
  await lasts(35_000)
  await Promise.all(workers.map((worker) => worker.end()))
  for (const worker of workers) {
    const line = await worker.said('cpu')
    console.log(`an idle runtime: ${line}`)
    expect(Number(line.split(' ')[1])).toBeLessThan(percent)
  }
})
