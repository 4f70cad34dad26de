/**
 * A process with a runtime, for a test to start, stop and kill: `worker.ts <database> <options as JSON>`. It prints what
 * happens, line by line, and ends when its input does.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createRuntime, type RuntimeOptions } from '../../../src/index.ts'
import type jobs from './jobs.ts'

/** What a test may choose; `enqueues` is a kind without input, of which it enqueues one job itself. */
export interface WorkerOptions
  extends Pick<
    RuntimeOptions<typeof jobs>,
    'threads' | 'leaseDuration' | 'durability' | 'killWait' | 'condemnedMax' | 'onCondemned'
  > {
  readonly enqueues?: 'secondOnly' | 'holds'
  /** Whether the app itself holds the lock `door` from the start to the end. */
  readonly locks?: boolean
}

const ended = new Promise<void>((resolve) => process.stdin.on('end', resolve).resume())
const [database = '', json = '{}'] = process.argv.slice(2)
const { enqueues, locks, ...options } = JSON.parse(json) as WorkerOptions
await using runtime = await createRuntime<typeof jobs>({ database, jobs: new URL('./jobs.ts', import.meta.url), ...options })
runtime.on('started', ({ jobId }) => console.log(`started ${jobId}`))
runtime.on('progress', ({ jobId, note }) => console.log(`${note} ${jobId}`))
runtime.on('error', ({ error }) => console.log(`error ${error}`))
console.log('open')
if (locks === true) void runtime.lock('door', () => ended.then(() => console.log('leaving')))
if (locks === true) while ((await runtime.lockHolder('door')) === null) await sleep(1)
if (locks === true) console.log('locked')
if (enqueues !== undefined) await runtime.enqueue(enqueues)
// What the start leaves to do (other threads, the log) is over by then.
await Promise.race([ended, sleep(5_000, undefined, { ref: false })])
const idleSince = process.cpuUsage()
const openAt = performance.now()
await ended
const { user, system } = process.cpuUsage(idleSince)
console.log(`cpu ${((user + system) / 10 / (performance.now() - openAt)).toFixed(3)} %`)
