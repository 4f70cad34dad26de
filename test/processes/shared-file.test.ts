/** Several processes, and other programs, on one file. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type jobs from '../support/processes/jobs.ts'
import { lasts } from '../support/processes/last.ts'
import { Peer } from '../support/processes/peer.ts'
import { withDatabase } from '../support/runtime/audit.ts'
import { EventLog } from '../support/runtime/event-log.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import { plainConnection } from '../support/store/scratch.ts'

const jobsUrl = new URL('../support/processes/jobs.ts', import.meta.url)

test('four processes that claim at once never run a job twice', async () => {
  using scratch = new Scratch()
  const file = scratch.file('bodies')
  await using client = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const workers = Array.from({ length: 4 }, () => new Peer(scratch.database, { threads: 2 }))
  await Promise.all(workers.map((worker) => worker.said('open')))
  const handles = await client.enqueueMany(Array.from({ length: 400 }, () => ({ kind: 'writes', input: file })))
  await Promise.all(handles.map((handle) => handle.result()))
  await Promise.all(workers.map((worker) => worker.end()))
  const bodies = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '))
  expect(bodies.map(([id]) => id).toSorted()).toEqual(handles.map(({ id }) => id).toSorted())
  expect(new Set(bodies.map(([, pid]) => pid)).size).toBeGreaterThan(1)
  const charged = withDatabase(scratch.database, (db) => db.prepare('SELECT max(attempt) FROM reeve_jobs').pluck().get())
  expect(charged).toBe(1)
})

test('another program that holds the write lock for seconds is waited for: nobody is told, nothing is lost, leases go on', {
  timeout: 60_000,
}, async () => {
  using scratch = new Scratch()
  const file = scratch.file('go on')
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { threads: 2, leaseDuration: '1s' })
  await using other = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const events = new EventLog(runtime)
  const running = await runtime.enqueue('untilFile', file)
  await events.of('started', running.id)
  const program = plainConnection(scratch.database)
  program.exec('BEGIN IMMEDIATE')
  const waiting = [runtime.enqueue('now'), other.enqueue('now')] as const
  // Longer than the lease, so that a renewal that gave up would be seen.
  await lasts(3_000)
  expect(await runtime.get(running.id)).toMatchObject({ state: 'running', attempt: 1 })
  program.exec('COMMIT')
  for (const handle of await Promise.all(waiting)) await handle.result()
  const renewed = () =>
    withDatabase(scratch.database, (db) =>
      db.prepare<[string], number>('SELECT lease_expires_at FROM reeve_jobs WHERE id = ?').pluck().get(running.id),
    )
  while ((renewed() ?? 0) < Date.now()) await lasts(10)
  writeFileSync(file, '')
  expect(await running.result()).toBe(process.pid)
  expect(await runtime.get(running.id)).toMatchObject({ attempt: 1, crashes: 0 })
  expect(events.all.filter(({ name }) => name === 'error' || name === 'restarted')).toEqual([])
})

test('a database file that is deleted under a runtime is told of, and nothing more is accepted into it', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  await (await runtime.enqueue('now')).result()
  for (const part of ['', '-wal', '-shm']) rmSync(`${scratch.database}${part}`, { force: true })
  const { error } = await events.first(({ name }) => name === 'error')
  expect(error).toMatchObject({ code: 'REEVE_DATABASE_DISPLACED' })
  const refused = await rejection(runtime.enqueue('now'))
  expect(refused).toMatchObject({ code: 'REEVE_JOB_NOT_ENQUEUED', cause: { code: 'REEVE_DATABASE_DISPLACED' } })
})

test('a database file that was moved away is used again once it is back; what ran meanwhile settles', async () => {
  using scratch = new Scratch()
  const file = scratch.file('go on')
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const running = await runtime.enqueue('untilFile', file)
  await events.of('started', running.id)
  renameSync(scratch.database, `${scratch.database}.away`)
  await events.first(({ name }) => name === 'error')
  await rejection(runtime.enqueue('now'))
  renameSync(`${scratch.database}.away`, scratch.database)
  let accepted = null
  while (accepted === null) accepted = await runtime.enqueue('now').catch(() => lasts(20).then(() => null))
  writeFileSync(file, '')
  expect(await running.result()).toBe(process.pid)
  await accepted.result()
})
