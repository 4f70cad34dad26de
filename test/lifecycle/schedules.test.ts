import { expect, test, vi } from 'vitest'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import { plainConnection } from '../support/store/scratch.ts'
import type scheduled from './jobs/scheduled.ts'

const jobs = new URL('./jobs/scheduled.ts', import.meta.url)
const open = (scratch: Scratch, options = {}) => openRuntime<typeof scheduled>(scratch, jobs, options)

/** What the jobs of the first ticks came to, whichever runtime ran them. */
function ticksOf(runtimes: readonly Awaited<ReturnType<typeof open>>[], count: number) {
  const results: { run: { scheduledAt: number | null } }[] = []
  return new Promise<typeof results>((resolve) => {
    for (const runtime of runtimes)
      runtime.on('completed', ({ kind, result }) => {
        if (kind === 'tick' && results.push(result as never) === count) resolve(results)
      })
  })
}

test('a schedule of a kind fires by itself, each instant once though two runtimes are open, and its jobs know their tick', async () => {
  using scratch = new Scratch()
  await using one = await open(scratch)
  await using two = await open(scratch)
  const seen = await ticksOf([one, two], 3)
  const instants = seen.map(({ run }) => run.scheduledAt ?? 0)
  expect(new Set(instants).size).toBe(3)
  expect(instants.every((at) => at % 1_000 === 0)).toBe(true)
  expect(seen[0]).toMatchObject({ word: 'tock', run: { schedule: 'tick', nextAt: (instants[0] ?? 0) + 1_000, isCatchUp: false } })
  expect(await one.schedules.get('tick')).toMatchObject({ declaredBy: 'code', everyMs: 1_000, breakerState: 'closed' })
  expect(await one.check()).toEqual([])
})

test('a schedule that is made at run time fires, is paused, resumed, triggered and removed', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  await using client = await openRuntime<typeof scheduled>(scratch, undefined, { threads: 0 })
  await client.schedules.upsert('nightly', { kind: 'told', cron: '30 2 * * *', timeZone: 'Europe/Berlin' })
  const shown = { kind: 'told', cron: '30 2 * * *', declaredBy: 'api', isPaused: false, input: undefined }
  expect(await runtime.schedules.get('nightly')).toMatchObject(shown)
  const times = await client.schedules.nextFireTimes('nightly', { count: 3 })
  const berlin = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', timeStyle: 'short' })
  expect(times).toHaveLength(3)
  expect((await runtime.schedules.get('nightly'))?.nextAt).toBe(times[0]?.getTime())
  expect(['2:30 AM', '3:00 AM']).toContain(berlin.format(times[0]).replace(' ', ' '))
  const triggered = await client.schedules.trigger<'told'>('nightly')
  expect(await triggered.result()).toMatchObject({ id: triggered.id, schedule: 'nightly', scheduledAt: null, deadline: null })
  await client.schedules.pause('nightly')
  expect(await client.schedules.get('nightly')).toMatchObject({ isPaused: true, nextAt: null })
  await client.schedules.resume('nightly')
  expect((await client.schedules.list()).map(({ name }) => name)).toEqual(['nightly', 'tick'])
  expect(await client.schedules.skips('nightly')).toEqual([])
  await client.schedules.remove('nightly')
  expect(await client.schedules.get('nightly')).toBeNull()
})

test('what is wrong is refused by name', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const { schedules } = runtime
  expect(await rejection(schedules.upsert('a', { kind: 'told', cron: 'at noon' }))).toMatchObject({
    code: 'REEVE_OPTION_INVALID',
  })
  expect((await rejection(schedules.upsert('tick', { kind: 'told', every: '1m' }))).code).toBe('REEVE_SCHEDULE_DECLARED')
  expect((await rejection(schedules.remove('tick'))).code).toBe('REEVE_SCHEDULE_DECLARED')
  const calls = ['pause', 'resume', 'trigger', 'nextFireTimes'] as const
  for (const call of calls) expect((await rejection(schedules[call]('no'))).code).toBe('REEVE_SCHEDULE_NOT_FOUND')
})

test('a job that was enqueued has a run without a tick', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const handle = await runtime.enqueue('told')
  const none = { schedule: null, scheduledAt: null, nextAt: null, isCatchUp: false, deadline: null }
  expect(await handle.result()).toEqual({ id: handle.id, ...none })
  expect(await runtime.get(handle.id)).toMatchObject({ tick: null })
})

test('a budget says when to stop taking up work, and what the handler comes to then counts', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const worker = await runtime.enqueue('worker')
  const { rounds, deadline, aborted, why } = await worker.result()
  expect([rounds > 1, aborted]).toEqual([true, true])
  expect(why).toContain('its budget is used up')
  const claimedAt = (await runtime.get(worker.id))?.claimedAt ?? 0
  expect((deadline ?? 0) - claimedAt).toBeGreaterThanOrEqual(80)
  expect(await (await runtime.enqueue('waits')).result()).toBe('went home')
})

test('a retry waits for the next tick, or is not made where there is no room for it before the tick', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const over = (wanted: string) =>
    new Promise<string>((resolve) => {
      for (const event of ['completed', 'discarded'] as const)
        runtime.on(event, ({ jobId, kind }) => kind === wanted && resolve(jobId))
    })
  const ends = [over('fails'), over('hopeless')] as const
  await runtime.schedules.upsert('fails', { kind: 'fails', every: '1s' })
  await runtime.schedules.upsert('hopeless', { kind: 'hopeless', every: '2s' })
  const failed = await runtime.get(await ends[0])
  const nextAt = failed?.tick?.nextAt ?? 0
  expect(failed).toMatchObject({ state: 'completed', attempt: 2, runAt: nextAt })
  expect(failed?.result).toBeGreaterThanOrEqual(nextAt)
  expect(await runtime.get(await ends[1])).toMatchObject({ state: 'discarded', attempt: 1, attemptsMax: 3 })
})

test('what was missed while no process was there is made up for at the next start, once', async () => {
  using scratch = new Scratch()
  {
    await using runtime = await open(scratch)
    await runtime.schedules.upsert('yearly', { kind: 'told', cron: '0 0 1 1 *' })
  }
  const newYear = (before: number) => Date.UTC(new Date().getUTCFullYear() - before, 0, 1)
  // As if it had been declared five years ago, and nobody had been there since.
  const late = "UPDATE reeve_schedules SET cursor = ?, next_at = ? WHERE name = 'yearly'"
  const db = plainConnection(scratch.database)
  db.prepare(late).run(newYear(5), newYear(4))
  await using runtime = await open(scratch)
  // It may have fired before anybody could listen.
  const find = db.prepare<[], string>("SELECT id FROM reeve_jobs WHERE schedule = 'yearly'").pluck()
  const id = await vi.waitFor(() => find.get() ?? Promise.reject(new Error('not fired yet')), { timeout: 20_000 })
  await (await runtime.handle(id)).result()
  const its = { schedule: 'yearly', scheduledAt: newYear(0), nextAt: newYear(-1), isCatchUp: true }
  const job = await runtime.get(id)
  expect(job?.tick).toEqual(its)
  expect(job?.result).toMatchObject(its)
  expect(await runtime.schedules.skips('yearly')).toEqual([{ from: newYear(4), to: newYear(1), count: 4, reason: 'coalesced' }])
})

test('a tick that the code says is to be skipped is on record, and its job is cancelled without a run', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const cancelled = new Promise<string>((resolve) => runtime.on('cancelled', ({ jobId }) => resolve(jobId)))
  await runtime.schedules.upsert('choosy', { kind: 'choosy', every: '1s' })
  const job = await runtime.get(await cancelled)
  expect(job).toMatchObject({ state: 'cancelled', error: null })
  const at = job?.tick?.scheduledAt
  expect(await runtime.schedules.skips('choosy')).toContainEqual({ from: at, to: at, count: 1, reason: 'should-skip' })
  expect(await (await runtime.schedules.trigger('choosy')).result()).toBe('ran')
  expect(await (await runtime.enqueue('choosy')).result()).toBe('ran')
})
