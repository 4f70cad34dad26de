/** Measures how long an orphaned job waits until it is started again, in milliseconds from the death of its process. */
import type { Runtime } from '../../../src/index.ts'
import { EventLog } from '../runtime/event-log.ts'
import { openRuntime, Scratch } from '../runtime/open-runtime.ts'
import type jobs from './jobs.ts'
import { Peer } from './peer.ts'

const jobsUrl = new URL('./jobs.ts', import.meta.url)

/** A process takes a job and is killed; resolves with the job and when its process was gone. */
async function orphan(database: string): Promise<{ readonly id: string; readonly diedAt: number }> {
  using victim = new Peer(database, { threads: 1, enqueues: 'secondOnly', leaseDuration: '10m' })
  const [, id = ''] = (await victim.said('started')).split(' ')
  const diedAt = performance.now()
  victim.signal('SIGKILL')
  await victim.gone
  return { id, diedAt }
}

async function startedAgain(runtime: Runtime<typeof jobs>, events: EventLog, id: string): Promise<number> {
  await events.of('started', id)
  const at = performance.now()
  await (await runtime.handle(id)).result()
  return at
}

/** Another process lives and takes the job over. */
export async function takeOverMs(rounds: number): Promise<number[]> {
  using scratch = new Scratch()
  await using survivor = await openRuntime<typeof jobs>(scratch, jobsUrl, { durability: 'power' })
  const waits: number[] = []
  for (let round = 0; round < rounds; round++) {
    const events = new EventLog(survivor)
    const { id, diedAt } = await orphan(scratch.database)
    waits.push((await startedAgain(survivor, events, id)) - diedAt)
  }
  return waits
}

/** Nobody else lives; a new runtime is opened. Counted from the call that opens it. */
export async function restartMs(rounds: number): Promise<number[]> {
  using scratch = new Scratch()
  const waits: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { id } = await orphan(scratch.database)
    const openedAt = performance.now()
    await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { durability: 'power' })
    const events = new EventLog(runtime)
    // It may have been started before anybody could listen.
    const at = await Promise.race([
      startedAgain(runtime, events, id),
      runtime
        .handle(id)
        .then((handle) => handle.result())
        .then(() => performance.now()),
    ])
    waits.push(at - openedAt)
  }
  return waits
}
