/**
 * Steps and events as plainly as can be: two lists. It is told what each command found before it ran, so it says what steps, events
 * and the jobs that wait come to, and leaves the rest of a job's life to the property of the store.
 */

import { isTerminal, type JobState } from '../../../src/job/state.ts'
import type { RememberedStep, StepOutcome, StepState, StepType } from '../../../src/job/step.ts'
import type { Answer, Command } from '../../../src/persistence/commands/command.ts'
import type { EmitCommand } from '../../../src/persistence/commands/emit.ts'
import type { StepCommand } from '../../../src/persistence/commands/step.ts'

/** A job, as far as steps go. */
export interface JobView {
  readonly id: string
  readonly state: JobState
  readonly attempt: number
  readonly token: number
  readonly runAt: number
  readonly owner: string | null
  readonly cancelRequested: boolean
  readonly settledToken: number | null
}

/** A step, as a third party sees it. Columns that only explain are left out. */
export interface StepView {
  readonly job: string
  readonly name: string
  readonly type: StepType
  readonly state: StepState
  readonly about: string
  readonly attempt: number
  readonly token: number
  readonly wakeAt: number | null
  readonly event: string | null
  readonly match: string | null
  /** The event that ended it, by its place among all. */
  readonly taken: number | null
  readonly error: string | null
  readonly value: string | null
}

/** An event that is kept. */
export interface EventView {
  readonly seq: number
  readonly id: string
  readonly event: string
  readonly key: string | null
  readonly to: string | null
  readonly payload: string | null
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }
type ModelEvent = EventView & { readonly at: number; readonly there: ReadonlySet<string> }

/** What a command came to: what must be answered (undefined: it is no command of ours), and the jobs that it moved. */
export interface Expected {
  readonly answer: Answer | undefined
  readonly moved: ReadonlyMap<string, Partial<JobView>>
}

/** All steps and events. */
export class ModelSteps {
  readonly steps: Writable<StepView>[] = []
  events: ModelEvent[] = []

  /** Runs a command on what it found, and says what must come of it. `seq` is the place that the file gave a new event. */
  run(command: Command, jobs: readonly JobView[], seq: (id: string) => number): Expected {
    const none = new Map<string, Partial<JobView>>()
    switch (command.type) {
      case 'step':
        return { answer: { type: 'step', outcome: this.#step(command, jobs) }, moved: none }
      case 'settle':
        return command.settlement.type === 'suspend' ? this.#suspend(command, jobs) : { answer: undefined, moved: none }
      case 'emit':
        return this.#emit(command, jobs, seq)
      case 'wake':
        return this.#wake(command.now, jobs)
      default:
        return { answer: undefined, moved: none }
    }
  }

  #step({ lease, operation }: StepCommand, jobs: readonly JobView[]): StepOutcome {
    const job = jobs.find(({ id, token, state }) => id === lease.jobId && token === lease.token && state === 'running')
    if (job === undefined) return { type: 'stale' }
    if (operation.type === 'list') return { type: 'listed', steps: this.#of(job.id).map(remembered) }
    const step = this.#of(job.id).find(({ name }) => name === operation.name)
    if (operation.type === 'value') return { type: 'value', value: step?.state === 'ended' ? step.value : null }
    const { attempt, token } = job
    const made = { ...blank, job: job.id, name: operation.name, attempt, token }
    if (operation.type === 'fail') {
      const error = JSON.stringify(operation.error)
      if (step === undefined) this.steps.push({ ...made, type: operation.stepType, state: 'failed', error })
      else if (step.state === 'failed') step.error = error
      return { type: 'remembered' }
    }
    const value = plainPayload(operation.value)
    if (step === undefined) this.steps.push({ ...made, state: 'ended', value })
    else if (step.state === 'failed') Object.assign(step, { ...made, about: step.about, state: 'ended', value })
    else if (step.token !== token) return { type: 'remembered', standing: step.value }
    return { type: 'remembered' }
  }

  #suspend({ lease, settlement, now }: Extract<Command, { type: 'settle' }>, jobs: readonly JobView[]): Expected {
    const job = jobs.find(({ id }) => id === lease.jobId)
    if (settlement.type !== 'suspend' || job === undefined || job.state !== 'running' || job.token !== lease.token)
      return { answer: undefined, moved: new Map() }
    if (job.cancelRequested) return { answer: { type: 'settled', state: 'cancelled', runAt: now }, moved: new Map() }
    for (const { name, about, ...wait } of settlement.waits) {
      // Jobs that are invoked are held by tests of their own.
      if (wait.type === 'invoke') continue
      const { attempt, token } = job
      const wakeAt = wait.timer === null ? null : 'at' in wait.timer ? wait.timer.at : now + wait.timer.afterMs
      const subscription = wait.type === 'event' ? { event: wait.event, match: wait.match } : { event: null, match: null }
      const made = { ...blank, job: job.id, name, type: wait.type, about, attempt, token, wakeAt, ...subscription }
      const step = this.#of(job.id).find((each) => each.name === name)
      if (step === undefined) this.steps.push(made)
      else if (step.state === 'failed') Object.assign(step, made)
    }
    for (const step of this.#of(job.id)) {
      const event = step.state === 'waiting' && step.event !== null ? this.#oldestFor(step) : undefined
      if (event !== undefined) Object.assign(step, { state: 'ended', taken: event.seq, value: event.payload })
    }
    this.#endTimers(job.id, now)
    const waits = settlement.waits.every(({ name }) => this.#of(job.id).find((each) => each.name === name)?.state === 'waiting')
    const state = waits ? 'suspended' : 'ready'
    return {
      answer: { type: 'settled', state, runAt: now },
      moved: new Map([[job.id, { state, attempt: job.attempt - 1, runAt: now, owner: null }]]),
    }
  }

  #emit(
    { id, event, key, to, payload, now, keepMs, keepMax }: EmitCommand,
    jobs: readonly JobView[],
    seqOf: (id: string) => number,
  ): Expected {
    const moved = new Map<string, Partial<JobView>>()
    const answered = (outcome: 'kept' | 'not-found' | 'over'): Expected => ({ answer: { type: 'emitted', outcome }, moved })
    if (this.events.some((each) => each.id === id)) return answered('kept')
    const addressee = jobs.find((job) => job.id === to)
    if (to !== null && addressee === undefined) return answered('not-found')
    if (addressee !== undefined && isTerminal(addressee.state)) return answered('over')
    const emitted = {
      seq: seqOf(id),
      id,
      event,
      key,
      to,
      payload: plainPayload(payload),
      at: now,
      there: new Set(jobs.map((job) => job.id)),
    }
    this.events.push(emitted)
    for (const job of jobs.filter(({ state }) => !isTerminal(state))) {
      const step = this.#of(job.id).find((each) => each.state === 'waiting' && matches(emitted, each))
      if (step === undefined) continue
      Object.assign(step, { state: 'ended', taken: emitted.seq, value: emitted.payload })
      if (job.state === 'suspended') moved.set(job.id, { state: 'ready', runAt: now })
    }
    if (to === null) {
      const oldest = new Set(this.events.filter((each) => each.to === null).slice(0, 8))
      this.events = this.events.filter(
        (each) => !oldest.has(each) || (each.at >= now - keepMs && each.seq > emitted.seq - keepMax),
      )
    }
    return answered('kept')
  }

  #wake(now: number, jobs: readonly JobView[]): Expected {
    const moved = new Map<string, Partial<JobView>>()
    const suspended = jobs.filter(({ state }) => state === 'suspended')
    for (const { id } of suspended) {
      const wakeAt = this.#wakeAt(id)
      if (wakeAt === null || wakeAt > now) continue
      this.#endTimers(id, now)
      moved.set(id, { state: 'ready', runAt: wakeAt })
    }
    const left = suspended.filter(({ id }) => !moved.has(id)).map(({ id }) => this.#wakeAt(id) ?? Number.POSITIVE_INFINITY)
    const next = Math.min(...left)
    return { answer: { type: 'woken', nextWakeAt: Number.isFinite(next) ? next : null }, moved }
  }

  #endTimers(job: string, now: number): void {
    for (const step of this.#of(job)) {
      if (step.state !== 'waiting' || step.wakeAt === null || step.wakeAt > now) continue
      Object.assign(step, { state: 'ended', value: step.type === 'event' ? 'null' : null })
    }
  }

  #wakeAt(job: string): number | null {
    const timers = this.#of(job).filter(({ state, wakeAt }) => state === 'waiting' && wakeAt !== null)
    return timers.length === 0 ? null : Math.min(...timers.map(({ wakeAt }) => wakeAt as number))
  }

  #of(job: string): Writable<StepView>[] {
    return this.steps.filter((step) => step.job === job)
  }

  #oldestFor(step: StepView): ModelEvent | undefined {
    const taken = new Set(this.#of(step.job).map(({ taken: seq }) => seq))
    return this.events.find((event) => !taken.has(event.seq) && matches(event, step))
  }
}

/** Whether an event is for a wait: by its name, its key, and that its job was there. */
function matches({ event, key, to, there }: ModelEvent, step: StepView): boolean {
  if (event !== step.event) return false
  return to === null ? there.has(step.job) && (step.match === null || step.match === key) : to === step.job
}

const blank: Omit<StepView, 'job' | 'name' | 'attempt' | 'token'> = {
  ...{ type: 'run', state: 'waiting', about: '', wakeAt: null, event: null, match: null, taken: null, error: null, value: null },
}

function remembered({ name, type, state, about, attempt, error, value }: StepView): RememberedStep {
  return { name, type, state, about, attempt, stands: true, error: error === null ? null : JSON.parse(error), value }
}

function plainPayload(payload: unknown): string | null {
  return payload instanceof Uint8Array ? `bytes ${Buffer.from(payload).toString('hex')}` : (payload as string | null)
}
