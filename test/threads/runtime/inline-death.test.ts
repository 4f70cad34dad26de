import { expect, test } from 'vitest'
import { EventLog } from '../../support/runtime/event-log.ts'
import { openRuntime, Scratch } from '../../support/runtime/open-runtime.ts'
import { SupervisorThreads } from '../../support/runtime/supervisor-threads.ts'

test('when the supervisor thread dies no other one runs the job of a handler in the app before that has returned', async () => {
  using scratch = new Scratch()
  using supervisors = new SupervisorThreads()
  await using runtime = await openRuntime(scratch, undefined, { threads: 0 })
  await using neighbour = await openRuntime(scratch, undefined, { threads: 0 })
  supervisors.started.pop()
  const events = new EventLog(runtime)
  const { id } = await runtime.enqueue('visit', 'a', { queue: 'pages' })
  const goOn = Promise.withResolvers<void>()
  const told = Promise.withResolvers<string>()
  let [atWork, most, runs] = [0, 0, 0]
  const handler = async (_input: unknown, ctx: { readonly signal: AbortSignal }) => {
    most = Math.max(most, ++atWork)
    if (++runs === 1) {
      ctx.signal.addEventListener('abort', () => told.resolve((ctx.signal.reason as Error).message))
      here.resolve()
      await goOn.promise
    }
    atWork--
    return runs
  }
  const here = Promise.withResolvers<void>()
  const work = runtime.queue('pages').work(handler, { concurrency: 3, until: 'forever', max: 2 })
  await here.promise
  const elsewhere = neighbour.queue('pages').work(handler, { until: '1s' })
  await supervisors.killLatest()
  expect(await told.promise).toContain('lease was lost')
  await events.first(({ name }) => name === 'restarted')
  // The neighbour and the new supervisor look at who is dead five times a second.
  expect(await elsewhere).toMatchObject({ done: 0, endedBecause: 'until' })
  expect(await runtime.get(id)).toMatchObject({ state: 'running', attempt: 1 })

  goOn.resolve()
  await events.of('completed', id)
  expect(await runtime.get(id)).toMatchObject({ attempt: 2, crashes: 1, result: 2 })
  expect(most).toBe(1)
  expect(await work).toMatchObject({ done: 1, released: 1, endedBecause: 'max' })
})

test('a consumer goes on with the next supervisor thread', async () => {
  using scratch = new Scratch()
  using supervisors = new SupervisorThreads()
  await using runtime = await openRuntime(scratch, undefined, { threads: 0 })
  const work = runtime.queue('pages').work((input) => input, { max: 2 })
  const first = await runtime.enqueue('visit', 1, { queue: 'pages' })
  expect(await first.result()).toBe(1)
  await supervisors.killLatest()
  const second = await runtime.enqueue('visit', 2, { queue: 'pages' })
  expect(await second.result()).toBe(2)
  expect(await work).toMatchObject({ done: 2, endedBecause: 'max' })
})
