/** Makes the `ctx` of a handler. Its functions are closures, so that they may be taken out of it. */
import { monoNow } from '../../clock.ts'
import type { JobContext, JobLog, JobRun } from '../../job/context.ts'
import type { KeyValues } from '../../job/key-values.ts'
import type { Steps } from '../../job/steps.ts'
import type { Assignment } from '../protocol.ts'
import { makeEnqueue } from './children.ts'
import { type Desk, post } from './desk.ts'
import { makeEarlyEnds } from './end-early.ts'
import { makeKeyValues } from './key-values.ts'
import type { LiveRun } from './live-run.ts'
import { makeLock } from './locks.ts'
import { makeLog } from './log.ts'
import type { Provisions } from './needs.ts'
import { spawnFor } from './spawn.ts'
import { childOfDesk } from './steps/child-of.ts'
import { makeSteps } from './steps/make-steps.ts'
import { StepsOfRun } from './steps/steps-of-run.ts'
import { makeTiming } from './timing.ts'

const noteMax = 500

/** The context of one run. What costs something (signal, log, job) is made when it is first read. Every job pays for it: no spread. */
export function makeContext(
  run: LiveRun,
  desk: Desk,
  { resource, env, sqlite }: Provisions,
): JobContext<unknown, unknown, unknown> {
  const { assignment } = run
  let log: JobLog | null = null
  let kv: KeyValues | null = null
  let step: Steps | null = null
  const makeLogOnce = () => {
    log ??= makeLog(run, desk)
    return log
  }
  const { snooze, backOff, releaseGroup, discard } = makeEarlyEnds(run)
  return {
    resource,
    env,
    sqlite,
    get signal() {
      return run.signal
    },
    get stopRequested() {
      return run.stopReason !== null
    },
    throwIfStopped() {
      const reason = run.stopReason
      if (reason !== null) throw run.stopError(reason)
    },
    progress(fraction, note) {
      if (run.over) return
      const cut = note === undefined ? null : String(note).slice(0, noteMax)
      post(desk, { type: 'progress', run: assignment.run, fraction: clamp(fraction), note: cut })
    },
    get log() {
      return makeLogOnce()
    },
    get kv() {
      kv ??= makeKeyValues(run, desk)
      return kv
    },
    lock: makeLock(run, desk),
    get step() {
      if (step !== null) return step
      const steps = new StepsOfRun(run, desk, makeLogOnce)
      run.steps = steps
      step = makeSteps(steps, childOfDesk(desk))
      return step
    },
    get job() {
      return jobOf(assignment)
    },
    get run() {
      return infoOf(run)
    },
    get deadline() {
      return run.deadline
    },
    enqueue: makeEnqueue(run, desk),
    snooze,
    backOff,
    releaseGroup,
    discard,
    attempt: assignment.attempt,
    attemptsMax: assignment.attemptsMax,
    spawn: (command, args, options) => spawnFor(run, desk, command, args, options),
    timing: makeTiming(run, desk),
    timeRemaining: () => Math.max(run.startedAt + assignment.timeoutMs - monoNow(), 0),
  }
}

function jobOf({ jobId: id, kind, queue, group, createdAt, family }: Assignment): JobContext['job'] {
  const { parent = null, root = null, correlationId = null } = family ?? {}
  return { id, kind, queue, group, createdAt, parent, root, correlationId }
}

/** What `ctx.run` tells. Its signal is not enumerable: a handler may return or log it, and a signal cannot be cloned. */
function infoOf(run: LiveRun): JobRun {
  const { jobId: id, tick } = run.assignment
  const { schedule = null, scheduledAt = null, nextAt = null, isCatchUp = false } = tick ?? {}
  const info = { id, schedule, scheduledAt, nextAt, isCatchUp, deadline: run.deadline }
  return Object.defineProperty(info, 'signal', { get: () => run.signal }) as JobRun
}

/** Division by a total of zero must not fail a job: what is no number is "unknown". */
function clamp(fraction: number | null): number | null {
  return typeof fraction !== 'number' || Number.isNaN(fraction) ? null : Math.min(Math.max(fraction, 0), 1)
}
