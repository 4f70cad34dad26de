/** Ends many worker threads of one runtime by timeouts, and counts what the process holds before, after, and when closed. */
import { readdirSync } from 'node:fs'
import { expect } from 'vitest'
import type jobs from '../../threads/runtime/jobs/faults.ts'
import { startNodePool } from '../threads/node-pool.ts'
import { openRuntime, rejection, Scratch } from './open-runtime.ts'

const jobsUrl = new URL('../../threads/runtime/jobs/faults.ts', import.meta.url)

/** How many there were: without a runtime, with one after its first kill, after all kills, and when it was closed. */
export interface Held {
  readonly unopened: number
  readonly before: number
  readonly after: number
  readonly closed: number
}

/** Runs two jobs on two threads, each attempt of which is ended with its thread. Linux only. */
export async function killThreads(kills: number): Promise<{ readonly threads: Held; readonly handles: Held }> {
  using scratch = new Scratch()
  await startNodePool()
  const unopened = look()
  const runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { threads: 2 })
  const kill = async (times: number) => {
    const retry = { attemptsMax: times, backoff: { base: 0, max: 0, jitter: 0 } }
    const handle = await runtime.enqueue('spins', undefined, { timeout: 1, retry })
    expect(await rejection(handle.result())).toMatchObject({ attempt: times, cause: { code: 'REEVE_ATTEMPT_TIMED_OUT' } })
  }
  await kill(1)
  const before = look()
  await Promise.all([kill(kills / 2), kill(kills / 2)])
  await (await runtime.enqueue('nothing')).result()
  const after = look()
  await runtime.close()
  const closed = look()
  const of = (index: 0 | 1): Held => ({
    unopened: unopened[index],
    before: before[index],
    after: after[index],
    closed: closed[index],
  })
  return { threads: of(0), handles: of(1) }
}

function look(): [threads: number, handles: number] {
  return [readdirSync('/proc/self/task').length, readdirSync('/proc/self/fd').length]
}
