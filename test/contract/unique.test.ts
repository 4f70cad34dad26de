import { expect, test } from 'vitest'
import type { NewJob } from '../../src/job/new-job.ts'
import { type UniqueRule, uniqueKey } from '../../src/job/unique-key.ts'
import type { EnqueueAnswer, EnqueueCommand } from '../../src/persistence/commands/enqueue.ts'
import { createSqliteStore } from '../../src/persistence/sqlite/store.ts'
import { prepareRetakeKey } from '../../src/persistence/sqlite/unique.ts'
import type { Store } from '../../src/persistence/store.ts'
import {
  ask,
  cancel,
  claimOne,
  complete,
  enqueue,
  fail,
  jobId,
  newJob,
  reclaim,
  settle,
  start,
} from '../support/store/commands.ts'
import { openConnection, openStore } from '../support/store/scratch.ts'

const rule = (given: Partial<UniqueRule> = {}): UniqueRule => ({
  key: uniqueKey('kind', 'resize', 'a.png'),
  conflict: 'reuse',
  hold: given.conflict === 'reuse-completed' ? 'completed' : given.until === undefined ? 'live' : 'window',
  until: null,
  maxWaitMs: null,
  ...given,
})
const unique = (name: string, given: Partial<UniqueRule> = {}, job: Partial<NewJob> = {}): NewJob =>
  newJob(name, { unique: rule(given), ...job })
const at = (now: number, ...jobs: NewJob[]): EnqueueCommand => ({ type: 'enqueue', now, jobs })

/** What an enqueue of one job came to: the job that stands for it and how, or whose key it met. */
async function meet(store: Store, job: NewJob, now = start): Promise<string> {
  const answer: EnqueueAnswer = await ask(store, at(now, job))
  if (answer.type === 'refused')
    return answer.refusal.reason === 'duplicate' ? `duplicate of ${answer.refusal.holder}` : 'refused'
  const [placed] = answer.placed ?? []
  return placed === undefined ? 'new' : `${placed.result} ${placed.jobId}`
}

test.each([
  ['reuse', 'existing a', 'existing a', 'new'],
  ['reuse-completed', 'existing a', 'existing a', 'existing a'],
  ['reject', 'duplicate of a', 'duplicate of a', 'new'],
  ['replace', 'replaced a', 'duplicate of a', 'new'],
  ['latest', 'replaced a', 'follow-up b', 'new'],
  ['debounce', 'replaced a', 'follow-up b', 'new'],
] as const)(
  '%s: of a job that waits it is %s, of one that runs %s, of one that completed %s',
  async (conflict, waits, runs, completed) => {
    const waiting = openStore()
    await ask(waiting, enqueue(unique('a', { conflict })))
    expect(await meet(waiting, unique('b', { conflict }))).toBe(waits)

    const running = openStore()
    await ask(running, enqueue(unique('a', { conflict })))
    const { lease } = await claimOne(running)
    expect(await meet(running, unique('b', { conflict }))).toBe(runs)

    await ask(running, cancel('b'))
    await ask(running, settle(lease, complete))
    expect(await meet(running, unique('c', { conflict }))).toBe(completed)
    expect(await running.violations()).toEqual([])
  },
)

test.each([
  ['reuse', 'existing a'],
  ['reuse-completed', 'new'],
  ['reject', 'duplicate of a'],
  ['replace', 'duplicate of a'],
  ['latest', 'new'],
  ['debounce', 'new'],
] as const)('%s: within a window, of a job that was cancelled it is %s', async (conflict, expected) => {
  const store = openStore()
  await ask(store, enqueue(unique('a', { until: start + 100 })))
  await ask(store, cancel('a'))
  expect(await meet(store, unique('b', { conflict }), start + 99)).toBe(expected)
})

test('at the end of its window a key is free, whatever holds it', async () => {
  const store = openStore()
  await ask(store, enqueue(unique('a', { until: start + 100 })))
  expect(await meet(store, unique('b', { conflict: 'reject' }), start + 99)).toBe('duplicate of a')
  expect(await meet(store, unique('c', { conflict: 'reject' }), start + 100)).toBe('new')
  expect(await store.violations()).toEqual([])
})

test('a cancel, a last failure and a death each free the key', async () => {
  const store = openStore()
  await ask(store, enqueue(unique('a')))
  await ask(store, cancel('a'))
  expect(await meet(store, unique('b', {}, { attemptsMax: 1 }))).toBe('new')
  await ask(store, settle((await claimOne(store)).lease, fail()))
  expect(await meet(store, unique('c', {}, { attemptsMax: 1 }))).toBe('new')
  await claimOne(store)
  await ask(store, reclaim('ann'))
  expect(await meet(store, unique('d'))).toBe('new')
})

test('a failed attempt that is tried again keeps the key', async () => {
  const store = openStore()
  await ask(store, enqueue(unique('a')))
  await ask(store, settle((await claimOne(store)).lease, fail()))
  expect(await meet(store, unique('b'))).toBe('existing a')
})

test('one follow-up waits for the job that runs, has the newest input, and goes in the transaction that ends it', async () => {
  const store = openStore()
  await ask(store, enqueue(unique('a', { conflict: 'latest' })))
  const { lease } = await claimOne(store)
  expect(await meet(store, unique('b', { conflict: 'latest' }, { input: '1' }))).toBe('follow-up b')
  expect(await meet(store, unique('c', { conflict: 'latest' }, { input: 'x'.repeat(3_000) }))).toBe('replaced b')
  expect(await store.job(jobId('b'))).toMatchObject({ state: 'suspended', input: 'x'.repeat(3_000) })
  expect(await ask(store, settle(lease, complete))).toMatchObject({ moved: [{ id: 'b', state: 'ready' }] })
  expect(await claimOne(store)).toMatchObject({ id: 'b', input: 'x'.repeat(3_000) })
  expect(await meet(store, unique('d'))).toBe('existing b')
})

test('a replaced job is due when the newest says, and a debounce waits no longer than maxWait after the first', async () => {
  const store = openStore()
  const debounce = { conflict: 'debounce', maxWaitMs: 50 } as const
  await ask(store, enqueue(unique('a', debounce, { runAt: start + 20 })))
  await ask(store, at(start + 15, unique('b', debounce, { runAt: start + 35, priority: 4 })))
  expect(await store.job(jobId('a'))).toMatchObject({ runAt: start + 35, priority: 4 })
  await ask(store, at(start + 40, unique('c', debounce, { runAt: start + 60 })))
  expect(await store.job(jobId('a'))).toMatchObject({ runAt: start + 50 })
})

test('a job that was tried before has an attempt left after it is replaced', async () => {
  const store = openStore()
  await ask(store, enqueue(unique('a')))
  await ask(store, settle((await claimOne(store)).lease, fail()))
  await ask(store, enqueue(unique('b', { conflict: 'replace' }, { attemptsMax: 1 })))
  expect(await claimOne(store)).toMatchObject({ id: 'a', attempt: 2, attemptsMax: 2 })
})

test('a duplicate in a batch refuses the whole batch', async () => {
  const store = openStore()
  await ask(store, enqueue(unique('a')))
  expect(await ask(store, enqueue(newJob('b'), unique('c', { conflict: 'reject' })))).toMatchObject({ type: 'refused' })
  expect(await store.job(jobId('b'))).toBeNull()
})

test('a key of a queue counts among all kinds, and a job of another kind is not replaced', async () => {
  const store = openStore()
  const key = uniqueKey('queue', 'default', 'a')
  await ask(store, enqueue(unique('a', { key })))
  expect(await meet(store, unique('b', { key }, { kind: 'send' }))).toBe('existing a')
  expect(await meet(store, unique('c', { key, conflict: 'replace' }, { kind: 'send' }))).toBe('duplicate of a')
})

test('a job that is started again has its key again, unless another one has it meanwhile', async () => {
  const db = openConnection()
  const store = createSqliteStore(db)
  await ask(store, enqueue(unique('a')))
  await ask(store, cancel('a'))
  const retake = prepareRetakeKey(db)
  await ask(store, enqueue(unique('b')))
  expect(retake(1, start, [])).toBe('b')
  await ask(store, cancel('b'))
  expect(retake(1, start, [])).toBeNull()
  expect(await meet(store, unique('c', { conflict: 'reject' }))).toBe('duplicate of a')
})
