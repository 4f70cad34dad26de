import { expect, test } from 'vitest'
import { now, readDiary } from '../support/crash/diary.ts'
import type jobs from '../support/crash/jobs.ts'
import { Victim } from '../support/crash/victim.ts'
import { EventLog } from '../support/runtime/event-log.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'

const jobsUrl = new URL('../support/crash/jobs.ts', import.meta.url)

test('a process that lives takes over the job of one that was killed at once, long before the lease is over', async () => {
  using scratch = new Scratch()
  const [database, diary] = [scratch.database, scratch.file('diary')]
  await using client = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const victim = new Victim({ database, diary, durability: 'power', seed: 1, mode: 'runs' })
  await victim.said('open')
  const handle = await client.enqueue('secondOnly', { diary, ms: 0 })
  await victim.said('started')
  await using survivor = await openRuntime<typeof jobs>(scratch, jobsUrl, { leaseDuration: '10m' })
  const events = new EventLog(survivor)
  await victim.killAfter(0)
  const gone = now()
  expect(await handle.result()).toBe(2)
  expect(now() - gone).toBeLessThan(3_000)
  expect(events.namesOf(handle.id)).toContain('completed')
  expect(await client.get(handle.id)).toMatchObject({ state: 'completed', attempt: 2, crashes: 1 })
})

test('where nobody else lives, the job is taken back at the next start', async () => {
  using scratch = new Scratch()
  const [database, diary] = [scratch.database, scratch.file('diary')]
  const client = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const victim = new Victim({ database, diary, durability: 'process', seed: 1, mode: 'runs' })
  await victim.said('open')
  const { id } = await client.enqueue('secondOnly', { diary, ms: 0 })
  await client.close()
  await victim.said('started')
  await victim.killAfter(0)
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { leaseDuration: '10m' })
  expect(await (await runtime.handle(id)).result()).toBe(2)
  expect(await runtime.get(id)).toMatchObject({ attempt: 2, crashes: 1 })
})

test('a job that kills its process is a dead letter once its attempts are used up, and says why', async () => {
  using scratch = new Scratch()
  const [database, diary] = [scratch.database, scratch.file('diary')]
  await using client = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const handle = await client.enqueue('deadly', { diary, ms: 0 })
  const wait = rejection(handle.result())
  for (let death = 1; death <= 3; death++) {
    const victim = new Victim({ database, diary, durability: 'process', seed: 1, mode: 'runs' })
    expect(await victim.gone()).toBe('SIGKILL')
  }
  const error = await wait
  expect(error).toMatchObject({ code: 'REEVE_JOB_DISCARDED', attempt: 3, cause: { code: 'REEVE_JOB_CRASHED' } })
  expect(await client.get(handle.id)).toMatchObject({ state: 'discarded', attempt: 3, crashes: 3 })
  expect(readDiary(diary).filter(({ what }) => what === 'start')).toHaveLength(3)
  expect(await (await client.enqueue('waits', { diary, ms: 0 }, { delay: '1h' })).cancel()).toMatchObject({ cancelled: true })
})
