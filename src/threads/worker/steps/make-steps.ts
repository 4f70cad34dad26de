/** Makes `ctx.step`: checks what a handler says, and puts it into the words of a wait. */
import { durationMs } from '../../../duration.ts'
import { optionInvalid } from '../../../errors.ts'
import type { NewJob } from '../../../job/new-job.ts'
import { complaintOfName, type NewWait } from '../../../job/step.ts'
import type { InvokeOptions, KindToInvoke, Steps, WaitForEventOptions } from '../../../job/steps.ts'
import type { StepsOfRun } from './steps-of-run.ts'

/** Makes the row of a job that is invoked. */
export type ChildOf = (
  kind: string | KindToInvoke<unknown, unknown>,
  input: unknown,
  options: InvokeOptions | undefined,
) => NewJob

/** Its functions are closures, so that they may be taken out of it. */
export function makeSteps(steps: StepsOfRun, childOf: ChildOf): Steps {
  const made: Steps = {
    run: (name, fn, options = {}) => {
      if (typeof fn !== 'function') return Promise.reject(optionInvalid('fn', fn, 'a function'))
      return steps.do(name, fn, options, made.run)
    },
    async sleep(name, duration) {
      await steps.wait(name, made.sleep, () => sleep(name, duration))
    },
    async sleepUntil(name, moment) {
      await steps.wait(name, made.sleepUntil, () => sleepUntil(name, moment))
    },
    async invoke<Result>(name: string, kind: string | KindToInvoke<unknown, unknown>, input?: unknown, options?: InvokeOptions) {
      return (await steps.wait(name, made.invoke, () => {
        const child = childOf(kind, input, options)
        return { type: 'invoke', name, about: `for a job of ${child.kind}`, child }
      })) as Result
    },
    async waitForEvent<Payload>(name: string, options: WaitForEventOptions) {
      return (await steps.wait(name, made.waitForEvent, () => waitForEvent(name, options))) as Payload | null
    },
  }
  return made
}

function sleep(name: string, duration: unknown): NewWait {
  const afterMs = durationMs(duration, 'duration')
  return { type: 'sleep', name, about: `for ${afterMs} ms`, timer: { afterMs } }
}

function sleepUntil(name: string, moment: unknown): NewWait {
  const at = moment instanceof Date ? moment.getTime() : moment
  if (typeof at !== 'number' || !Number.isFinite(at) || Math.abs(at) > 8.64e15)
    throw optionInvalid('moment', String(moment), 'a valid Date, or milliseconds since the Unix epoch')
  return { type: 'sleep', name, about: `until ${new Date(at).toISOString()}`, timer: { at } }
}

function waitForEvent(name: string, options: WaitForEventOptions): NewWait {
  if (typeof options !== 'object' || options === null)
    throw optionInvalid('options', options, 'an object with event, match, timeout')
  const { event, match = null, timeout } = options
  const complaint = complaintOfName(event)
  if (complaint !== undefined) throw optionInvalid('event', event, complaint)
  const complaintOfMatch = match === null ? undefined : complaintOfName(match)
  if (complaintOfMatch !== undefined) throw optionInvalid('match', match, complaintOfMatch)
  const timer = timeout === undefined ? null : { afterMs: durationMs(timeout, 'timeout') }
  const about = [
    `for event ${event}`,
    ...(match === null ? [] : [`with key ${match}`]),
    ...(timer === null ? [] : [`up to ${timer.afterMs} ms`]),
  ]
  return { type: 'event', name, about: about.join(' '), event, match, timer }
}
