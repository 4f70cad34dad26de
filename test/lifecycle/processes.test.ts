import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { EventLog } from '../support/runtime/event-log.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'
import { runProgram } from '../support/runtime/program.ts'
import type jobs from './jobs/basics.ts'
import type otherKinds from './jobs/other-kinds.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)
const program = (name: string) => new URL(`./programs/${name}`, import.meta.url)

test('a process whose runtime is unrefed ends by itself, and its running job is taken back at the next start', async () => {
  using scratch = new Scratch()
  const end = await runProgram(program('unref.ts'), [scratch.database])
  const [said, id = ''] = end.stdout.split('\n')
  expect({ ...end, stdout: said }).toEqual({ code: 0, signal: null, stdout: 'ran', stderr: '' })
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  expect(await runtime.get(id)).toMatchObject({
    state: 'discarded',
    attempt: 1,
    crashes: 1,
    error: { code: 'REEVE_ATTEMPT_LOST' },
  })
})

test('a process whose runtime is refed again stays', async () => {
  using scratch = new Scratch()
  const end = await runProgram(program('unref.ts'), [scratch.database, 'ref'])
  expect(end).toMatchObject({ code: 3, stdout: expect.stringMatching(/still here\n$/), stderr: '' })
})

test('a runtime without threads enqueues, and gets the result of what another process ran', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const handle = await runtime.enqueue('where')
  const result = handle.result()
  expect(await runtime.load()).toEqual({ running: 0, held: 0, threads: 0, condemned: 0 })
  expect(await runProgram(program('worker.ts'), [scratch.database, handle.id])).toMatchObject({ code: 0, stderr: '' })
  const { pid } = await result
  expect(pid).not.toBe(process.pid)
})

test('a job that another runtime enqueued on the file is noticed and run by one whose threads are idle', async () => {
  using scratch = new Scratch()
  await using worker = await openRuntime<typeof jobs>(scratch, jobsUrl)
  await using client = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const events = new EventLog(worker)
  const handle = await client.enqueue('echo', 1n)
  expect(await handle.result()).toBe(1n)
  await events.of('completed', handle.id)
})

test('a job of an unknown kind is put back uncharged, says which kinds there are, and runs where it is known', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  await using newer = await openRuntime<typeof otherKinds>(scratch, undefined, { threads: 0 })
  const handle = await newer.enqueue('newcomer', randomUUID())
  const { error } = await events.of('interrupted', handle.id)
  expect(error).toMatchObject({ name: 'ReeveError', code: 'REEVE_KIND_UNKNOWN', kind: 'newcomer', jobId: handle.id })
  expect(error?.message).toMatch(/no kind 'newcomer'; it has echo, nothing, gated/)
  const put = await runtime.get(handle.id)
  expect(put).toMatchObject({ state: 'ready', attempt: 0, error: { code: 'REEVE_KIND_UNKNOWN' } })
  expect(put?.runAt).toBeGreaterThan(Date.now() + 10_000)
  expect(await (await runtime.enqueue('echo', 'the next one')).result()).toBe('the next one')
  expect(await handle.cancel()).toMatchObject({ cancelled: true })
})
