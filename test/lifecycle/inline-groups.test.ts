import { expect, test } from 'vitest'
import type { Runtime } from '../../src/index.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'

/** A runtime that runs nothing by itself. */
const open = (scratch: Scratch) => openRuntime(scratch, undefined, { threads: 0 })

async function enqueue(runtime: Runtime, group: string, inputs: readonly string[]) {
  return runtime.enqueueMany(inputs.map((input) => ({ kind: 'visit', input, options: { queue: 'pages', group } })))
}

test('of one group no more run at once than it may, and the others go on', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  await enqueue(runtime, 'a', ['a1', 'a2', 'a3'])
  await enqueue(runtime, 'b', ['b1', 'b2'])
  const atWork: string[] = []
  const met: string[][] = []
  const two = Promise.withResolvers<void>()
  const summary = await runtime.queue('pages').work(
    async (input) => {
      atWork.push(String(input))
      met.push([...atWork])
      if (met.length === 2) two.resolve()
      await two.promise
      atWork.splice(atWork.indexOf(String(input)), 1)
    },
    { concurrency: 4, perGroup: 1, until: 'empty' },
  )
  expect(summary).toMatchObject({ done: 5, released: 0, remaining: 0 })
  expect(met[1]).toEqual(['a1', 'b1'])
  const groups = met.map((names) => names.map(([group]) => group))
  expect(groups.filter((each) => new Set(each).size < each.length)).toEqual([])
})

test('a group that a handler released is named once, and nothing more of it is taken', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  await enqueue(runtime, 'a', ['a1', 'a2', 'a3'])
  await enqueue(runtime, 'b', ['b1'])
  const summary = await runtime
    .queue('pages')
    .work((input, ctx) => (String(input).startsWith('a') ? ctx.releaseGroup('1h') : input), {
      concurrency: 2,
      perGroup: 1,
      until: 'empty',
    })
  expect(summary).toMatchObject({ done: 1, released: 1, remaining: 3, stoppedGroups: ['a'], endedBecause: 'empty' })
})
