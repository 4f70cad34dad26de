import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { JobId } from '../../src/index.ts'
import { drawsOf, seedOfRun } from '../support/crash/seeded.ts'
import type jobs from '../support/crash/steps/jobs.ts'
import { points } from '../support/crash/steps/jobs.ts'
import { work } from '../support/crash/steps/work.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'

/** A database with one flow and the one event that it waits for. */
async function begin(scratch: Scratch): Promise<{ id: JobId; ledger: string }> {
  const ledger = scratch.file('ledger')
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const { id } = await runtime.enqueue('flow', { ledger })
  await runtime.emit('go', 7)
  return { id, ledger }
}

/** Lets a last process come to the end of the flow, and holds what it left against what must be. */
async function finish(scratch: Scratch, id: JobId, ledger: string, doneTwice: readonly string[]): Promise<void> {
  const { child, end } = work(scratch.database, '')
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const result = await (await runtime.handle<'flow'>(id)).result()
  child.stdin.end()
  expect(await end).toMatchObject({ code: 0 })
  const lines = readFileSync(ledger, 'utf8').trim().split('\n')
  const effects = lines.map((line) => line.split(' ')[0])
  // A body that ended before the kill and was not remembered is done again; no other is.
  for (const name of ['a', 'b', 'c', 'd'])
    expect(
      effects.filter((each) => each === name),
      name,
    ).toHaveLength(doneTwice.includes(name) ? 2 : 1)
  // What the handler got is what was remembered last, and what it did because of an error names that error.
  const last = (name: string) => lines.findLast((line) => line.startsWith(`${name} `))
  expect(result).toMatchObject({ a: last('a'), b: last('b'), c: last('c'), d: last('d'), go: 7, again: null })
  expect(last('d')).toContain(`d after ${last('c')} `)
  expect(await runtime.steps(id)).toMatchObject([
    ...[{ name: 'a', result: last('a') }, { name: 'nap' }, { name: 'b', result: last('b') }, { name: 'go', result: 7 }],
    ...[{ name: 'c', state: 'failed' }, { name: 'again', result: null }, { name: 'd', result: last('d') }, { name: 'last' }],
  ])
  expect(await runtime.check()).toEqual([])
}

/** What is done again where the process dies between a body's end and its commit. */
const doneAgain: Readonly<Record<string, readonly string[]>> = {
  ...{ 'after a': ['a'], 'after b': ['b'], 'c failed': ['c'], 'after d': ['d'] },
}

test.each([...points, 'started', 'suspended'])('a flow whose process is killed at "%s" comes to the same end', async (killAt) => {
  using scratch = new Scratch()
  const { id, ledger } = await begin(scratch)
  const { end } = work(scratch.database, killAt)
  expect(await end).toMatchObject({ signal: 'SIGKILL' })
  await finish(scratch, id, ledger, doneAgain[killAt] ?? [])
})

const seed = seedOfRun()

test(`a flow whose process is killed again and again, at any moment, comes to its end (REEVE_SEED=${seed})`, async () => {
  using scratch = new Scratch()
  const draw = drawsOf(seed)
  const { id, ledger } = await begin(scratch)
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const isOver = async () => (await runtime.get(id))?.settledAt !== null
  for (let kill = 1; kill <= 8 && !(await isOver()); kill++) {
    await work(scratch.database, '').killAfter(draw(0, 15))
  }
  const before = readFileSync(ledger, 'utf8').trim().split('\n')
  const { child } = work(scratch.database, '')
  const result = await (await runtime.handle<'flow'>(id)).result()
  child.stdin.end()
  expect(result).toMatchObject({ go: 7, again: null })
  // What was remembered before the last start is what the handler got in the end.
  for (const { state, replayed, result: value } of (await runtime.steps(id)) ?? [])
    if (replayed && state === 'ended' && typeof value === 'string' && before.includes(value))
      expect(Object.values(result)).toContain(value)
  expect(await runtime.check()).toEqual([])
})
