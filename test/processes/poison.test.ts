/** A job that kills its process, in real processes. */
import { expect, test } from 'vitest'
import type jobs from '../support/processes/jobs.ts'
import { Peer } from '../support/processes/peer.ts'
import { withDatabase } from '../support/runtime/audit.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'

interface Row {
  readonly kind: string
  readonly state: string
  readonly attempt: number
  readonly crashes_alone: number
  readonly suspect: number
}

test('a job that kills its process is a dead letter after exactly three deaths of its own; its twenty neighbours complete', {
  timeout: 60_000,
}, async () => {
  using scratch = new Scratch()
  await using client = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const innocent = { kind: 'innocent', input: 40 } as const
  const before = await client.enqueueMany(Array.from({ length: 10 }, () => innocent))
  const poison = await client.enqueue('poison')
  const after = await client.enqueueMany(Array.from({ length: 10 }, () => innocent))
  const ends = Promise.all([rejection(poison.result()), ...[...before, ...after].map((handle) => handle.result())])
  let deaths = 0
  for (let over = false; !over; ) {
    using worker = new Peer(scratch.database, { threads: 4 })
    over = await Promise.race([worker.gone.then(() => false), ends.then(() => true)])
    if (!over) deaths++
    expect(deaths).toBeLessThan(6)
    if (over) await worker.end()
  }
  const [error] = await ends
  expect(error).toMatchObject({ code: 'REEVE_JOB_DISCARDED', cause: { code: 'REEVE_JOB_CRASHED' } })
  expect((error.cause as Error).message).toMatch(/3 of them while it held nothing else/)
  const rows = withDatabase(scratch.database, (db) =>
    db.prepare<[], Row>('SELECT kind, state, attempt, crashes_alone, suspect FROM reeve_jobs').all(),
  )
  expect(rows.filter(({ state }) => state === 'discarded')).toMatchObject([{ kind: 'poison', crashes_alone: 3 }])
  const neighbours = rows.filter(({ kind }) => kind === 'innocent')
  expect(neighbours).toHaveLength(20)
  for (const row of neighbours) expect(row).toMatchObject({ state: 'completed', attempt: 1, crashes_alone: 0, suspect: 0 })
  // One death with the neighbours makes it a suspect, and three of its own prove it.
  expect(deaths).toBe(4)
})
