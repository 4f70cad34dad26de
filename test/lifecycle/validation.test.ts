import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Runtime } from '../../src/index.ts'
import { EventLog } from '../support/runtime/event-log.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import jobs from './jobs/validated.ts'

const jobsUrl = new URL('./jobs/validated.ts', import.meta.url)
const scratch = new Scratch()
let checking: Runtime<typeof jobs>
let trusting: Runtime<typeof jobs>
beforeAll(async () => {
  checking = await openRuntime(scratch, undefined, { threads: 0, definitions: jobs })
  trusting = await openRuntime(scratch, jobsUrl)
})
afterAll(async () => {
  await Promise.all([checking.close(), trusting.close()])
  scratch[Symbol.dispose]()
})

const cases = [
  ['zod', /user\.age: too young/],
  ['valibot', /user\.age: too young/],
  ['arktype', /user\.age: .*at least 18/],
] as const

describe.each(cases)('a schema of %s', (kind, complaint) => {
  const young = { user: { age: 17 } }

  test('is checked at the enqueue where the runtime has the definitions, and nothing is stored', async () => {
    const before = await checking.counts()
    const error = await rejection(checking.enqueue(kind, young))
    expect(error).toMatchObject({ code: 'REEVE_INPUT_INVALID', kind, message: expect.stringMatching(complaint) })
    expect(
      await rejection(
        checking.enqueueMany([
          { kind: 'plain', input: 1 },
          { kind, input: young },
        ]),
      ),
    ).toMatchObject({
      code: 'REEVE_INPUT_INVALID',
    })
    expect(await checking.counts()).toEqual(before)
  })

  test('is checked on the worker thread where it has not; the job is discarded at once, with the words of the schema', async () => {
    const events = new EventLog(trusting)
    const handle = await trusting.enqueue(kind, young, { retry: { attemptsMax: 5 } })
    const error = await rejection(handle.result())
    expect(error).toMatchObject({ code: 'REEVE_JOB_DISCARDED', attempt: 1, message: expect.stringMatching(complaint) })
    expect(error.cause).toMatchObject({ code: 'REEVE_INPUT_INVALID', jobId: handle.id, kind })
    await events.of('discarded', handle.id)
    expect(events.namesOf(handle.id)).toEqual(['started', 'discarded'])
  })

  test('lets a valid input through', async () => {
    const handle = await checking.enqueue(kind, { user: { age: 18 } })
    expect(await handle.result()).toEqual(kind === 'zod' ? { age: 18, at: new Date(1) } : 18)
  })
})

test('a runtime with definitions refuses a kind that they do not have, and takes one without a schema as it is', async () => {
  const error = await rejection(checking.enqueue('nobody' as 'plain', 1))
  expect(error).toMatchObject({
    code: 'REEVE_KIND_UNKNOWN',
    kind: 'nobody',
    message: expect.stringContaining('zod, valibot, arktype, plain'),
  })
  expect(await (await checking.enqueue('plain', 41)).result()).toBe(42)
})

test('what is stored is the input as it was given, not what the schema makes of it', async () => {
  const { id } = await checking.enqueue('zod', { user: { age: 20 } })
  expect((await checking.get(id))?.input).toEqual({ user: { age: 20 } })
})
