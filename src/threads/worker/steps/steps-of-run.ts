/**
 * The steps of one run of a handler. What is remembered is asked for once, by the first step; a step that has ended returns from
 * there, any other does its work and has it written before its promise resolves.
 */
import { realClock } from '../../../clock.ts'
import { ReeveError } from '../../../errors.ts'
import type { JobLog } from '../../../job/context.ts'
import { decodePayload, encodePayload, type StoredPayload } from '../../../job/payload.ts'
import {
  type NewWait,
  type RememberedStep,
  type StepOperation,
  type StepOutcome,
  type StepType,
  stepsMax,
} from '../../../job/step.ts'
import type { StepContext, StepRunOptions } from '../../../job/steps.ts'
import { encodeError } from '../../error-codec.ts'
import { reviveError } from '../../revive-error.ts'
import { ask } from '../ask.ts'
import { conclude, type Desk } from '../desk.ts'
import type { LiveRun } from '../live-run.ts'
import { Activity } from './activity.ts'
import { StepNames, type StepUse } from './names.ts'
import { triesOf, trySteps } from './try-step.ts'

const clock = realClock()
/** How many names a log line tells. */
const namesToldMax = 5

type Caller = (...parameters: never) => unknown
type Failure = Extract<StepOperation, { type: 'fail' }>

/** Does, remembers and recalls the steps of a run. */
export class StepsOfRun {
  readonly #run: LiveRun
  readonly #desk: Desk
  readonly #log: () => JobLog
  readonly #names = new StepNames()
  readonly #activity: Activity
  /** Errors that the handler was given and has not gone on from. */
  readonly #failures = new Map<string, Failure>()
  #memory: Promise<Map<string, RememberedStep>> | null = null
  #known = 0
  #remembered: readonly string[] = []

  constructor(run: LiveRun, desk: Desk, log: () => JobLog) {
    this.#run = run
    this.#desk = desk
    this.#log = log
    this.#activity = new Activity({
      isAsking: () => desk.questions.get(run.assignment.run)?.isOpen ?? false,
      suspend: (waits) => this.#suspend(waits),
    })
  }

  /** Does a function once for the life of the job. */
  do<T>(name: string, fn: (step: StepContext) => T | Promise<T>, options: StepRunOptions, caller: Caller): Promise<T> {
    return this.#use(name, caller, async (use) => {
      const tries = triesOf(options)
      const before = await this.#recall(use, 'run', '')
      if (before !== undefined) return (await this.#valueOf(before)) as T
      await this.#goOn()
      const startedAt = clock.wall()
      let stored: StoredPayload
      try {
        stored = encodePayload(await trySteps(this.#run, name, fn, tries), this.#desk.payloadBytesMax)
      } catch (thrown) {
        // `ctx.snooze` and the like are no failure of the step: it runs again when the job does.
        if (this.#run.asked === null)
          this.#failures.set(name, { type: 'fail', name, stepType: 'run', startedAt, error: encodeError(thrown) })
        throw thrown
      }
      const outcome = await this.#ask({ type: 'end', name, startedAt, value: stored })
      // What a later run will get, so that no handler comes to rely on more (a class, a shared object).
      return decodePayload(outcome.type === 'remembered' && outcome.standing !== undefined ? outcome.standing : stored) as T
    })
  }

  /** Waits, in a later run of the handler: in this one its promise never settles, unless the wait is over already. */
  wait(name: string, caller: Caller, make: () => NewWait): Promise<unknown> {
    return this.#use(name, caller, async (use) => {
      const wait = make()
      const before = await this.#recall(use, wait.type, wait.about)
      if (before !== undefined) return this.#valueOf(before)
      await this.#goOn()
      this.#activity.waitFor(wait)
      return forEver
    })
  }

  /** An answer has come. */
  answered(): void {
    this.#activity.look()
  }

  /** The handler has returned: tells of what it left behind, which is a mistake nearly always. */
  returned(): void {
    const unreached = this.#remembered.filter((name) => !this.#names.has(name))
    if (unreached.length > 0)
      this.#log().warn({ steps: unreached.slice(0, namesToldMax) }, 'the handler returned without some steps of its earlier runs')
    const { waiting } = this.#activity
    if (waiting.length > 0)
      this.#log().warn({ steps: waiting.slice(0, namesToldMax) }, 'the handler returned without awaiting some of its waits')
  }

  async #use<T>(name: string, caller: Caller, work: (use: StepUse) => Promise<T | typeof forEver>): Promise<T> {
    if (this.#run.suspended) return new Promise<never>(() => undefined)
    const use = this.#names.use(name, caller)
    const result = await this.#activity.during(async () => {
      try {
        return await work(use)
      } catch (error) {
        use.failed = true
        throw error
      }
    })
    return result === forEver ? new Promise<never>(() => undefined) : (result as T)
  }

  /** The step, where it is over; it throws the error of one that failed, once a run. */
  async #recall({ name }: StepUse, type: StepType, about: string): Promise<RememberedStep | undefined> {
    this.#memory ??= this.#recallAll()
    const memory = await this.#memory
    const step = memory.get(name)
    if (step === undefined) {
      if (++this.#known > stepsMax) throw this.#error('REEVE_STEPS_TOO_MANY', tooMany)
      return undefined
    }
    if (step.type !== type) throw this.#error('REEVE_STEP_CHANGED', changed(step, type))
    if (step.about !== about && step.state !== 'failed')
      this.#log().warn(
        { step: name, was: step.about, is: about },
        'a step was changed since it was first written: it stays as it was',
      )
    if (step.state === 'ended') return step
    if (step.state !== 'failed' || step.error === null) return undefined
    memory.delete(name)
    if (!step.stands) {
      // What was invoked in an attempt that failed is invoked again.
      if (step.attempt !== this.#run.assignment.attempt) return undefined
      this.#failures.set(name, { type: 'fail', name, stepType: type, startedAt: clock.wall(), error: step.error })
    }
    throw reviveError(step.error)
  }

  async #recallAll(): Promise<Map<string, RememberedStep>> {
    const outcome = await this.#ask({ type: 'list' })
    const steps = outcome.type === 'listed' ? outcome.steps : []
    this.#known = steps.length
    this.#remembered = steps.map(({ name }) => name)
    return new Map(steps.map((step) => [step.name, step]))
  }

  async #valueOf(step: RememberedStep): Promise<unknown> {
    if (step.value !== undefined) return decodePayload(step.value)
    const outcome = await this.#ask({ type: 'value', name: step.name })
    return outcome.type === 'value' ? decodePayload(outcome.value) : undefined
  }

  /** The handler goes on from the errors that it was given: they are remembered before anything that comes after them. */
  async #goOn(): Promise<void> {
    if (this.#failures.size === 0) return
    const failures = [...this.#failures.values()]
    this.#failures.clear()
    await Promise.all(failures.map((failure) => this.#ask(failure)))
  }

  #ask(operation: StepOperation): Promise<StepOutcome> {
    return ask<'step'>(this.#run, this.#desk, { type: 'step', operation })
  }

  #suspend(waits: readonly NewWait[]): void {
    if (this.#run.over) return
    const outcome = this.#run.asked ?? ({ type: 'suspended', waits } as const)
    conclude(this.#desk, this.#run, outcome)
    this.#run.suspend(outcome)
  }

  #error(code: 'REEVE_STEPS_TOO_MANY' | 'REEVE_STEP_CHANGED', message: string): ReeveError {
    const { jobId, kind, attempt } = this.#run.assignment
    return new ReeveError(code, `Job ${jobId} (${kind}): ${message}`, { jobId, kind, attempt })
  }
}

const forEver: unique symbol = Symbol('a wait of this run')

const tooMany = `it has ${stepsMax} steps, and may not have more. Do several things in one step, or cut the work into several jobs.`

function changed({ name, type }: RememberedStep, now: StepType): string {
  return `step '${name}' was ${wordsFor[type]} in an earlier run of the handler, and is ${wordsFor[now]} now. Give the new step a new name.`
}

const wordsFor: Readonly<Record<StepType, string>> = {
  run: 'a function (step.run)',
  sleep: 'a sleep',
  event: 'a wait for an event',
  invoke: 'a wait for another job',
}
