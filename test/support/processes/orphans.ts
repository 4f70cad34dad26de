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

/** How long it took to open a runtime, and from then until the orphaned job had run. */
export interface Restart {
  readonly openMs: number
  readonly thenMs: number
}

/** Nobody else lives; a new runtime is opened. */
export async function restarts(rounds: number): Promise<Restart[]> {
  using scratch = new Scratch()
  const found: Restart[] = []
  for (let round = 0; round < rounds; round++) {
    const { id } = await orphan(scratch.database)
    const calledAt = performance.now()
    await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { durability: 'power' })
    const openAt = performance.now()
    await (await runtime.handle(id)).result()
    found.push({ openMs: openAt - calledAt, thenMs: performance.now() - openAt })
  }
  return found
}
