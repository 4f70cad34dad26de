/** Runs three jobs that do not behave, beside all others, and tells how Reeve dealt with each. */
import { ReeveError } from 'reeve'
import type { DemoRuntime } from './open-runtime.ts'

/** How such a job went. */
export interface Misbehaviour {
  readonly kind: string
  readonly does: string
  readonly state: string
  readonly attempts: number
  readonly code: string
  readonly note: string
}

/** Before everything else, so that the queue is full while they misbehave. */
const first = { priority: 1 }

/** Resolves when all three are over. */
export function misbehave(runtime: DemoRuntime): Promise<readonly Misbehaviour[]> {
  return Promise.all([runAway(runtime), failTwice(runtime), cancelDeaf(runtime)])
}

async function runAway(runtime: DemoRuntime): Promise<Misbehaviour> {
  const handle = await runtime.enqueue('runaway', undefined, first)
  const error = await handle.result().then(() => undefined, endedOnly)
  const job = await runtime.get(handle.id)
  const heldMs = (job?.settledAt ?? 0) - (job?.claimedAt ?? 0)
  return {
    kind: 'runaway',
    does: 'regular expression without end, timeout 1 s',
    state: job?.state ?? 'lost',
    attempts: job?.attempt ?? 0,
    code: codeOf(error?.cause),
    note: `over ${heldMs} ms after its claim`,
  }
}

async function failTwice(runtime: DemoRuntime): Promise<Misbehaviour> {
  const codes: string[] = []
  const off = runtime.on('retrying', ({ kind, error }) => {
    if (kind === 'flaky') codes.push(codeOf(error))
  })
  const handle = await runtime.enqueue('flaky', undefined, first)
  const note = await handle.result()
  off()
  const job = await runtime.get(handle.id)
  return {
    kind: 'flaky',
    does: 'fails twice, then works',
    state: job?.state ?? 'lost',
    attempts: job?.attempt ?? 0,
    code: codes.join(', '),
    note,
  }
}

async function cancelDeaf(runtime: DemoRuntime): Promise<Misbehaviour> {
  const running = firstProgressOf(runtime, 'deaf')
  const handle = await runtime.enqueue('deaf', undefined, first)
  await running
  const askedAt = performance.now()
  const { state } = await handle.cancel()
  const tookMs = performance.now() - askedAt
  const error = await handle.result().then(() => undefined, endedOnly)
  const job = await runtime.get(handle.id)
  return {
    kind: 'deaf',
    does: 'endless loop, cancelled, grace 500 ms',
    state,
    attempts: job?.attempt ?? 0,
    code: codeOf(error),
    note: `over ${tookMs.toFixed(0)} ms after cancel()`,
  }
}

/** Resolves when a handler of this kind first tells its progress. */
function firstProgressOf(runtime: DemoRuntime, wanted: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const off = runtime.on('progress', ({ kind }) => {
    if (kind !== wanted) return
    off()
    resolve()
  })
  return promise
}

/** A job that ended badly is what this file is about; anything else is an error of the demo. */
function endedOnly(error: unknown): ReeveError {
  if (error instanceof ReeveError && ['REEVE_JOB_DISCARDED', 'REEVE_JOB_CANCELLED'].includes(error.code)) return error
  throw error
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no code'
}
