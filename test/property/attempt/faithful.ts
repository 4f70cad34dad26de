/**
 * Events as a pool and a clock really bring them: a timer only after it was armed and unless it was armed anew, an outcome
 * once, an exit after `terminate` or by the thread's own death, `done` only after an outcome and not on a dying thread.
 */
import type { Scheduler } from 'fast-check'
import { type AttemptEffect, type AttemptEvent, attemptAtStart, type Graces } from '../../../src/actors/attempt-state.ts'
import type { HandlerOutcome } from '../../../src/threads/protocol.ts'
import type { RunEnd } from '../../../src/threads/thread-pool.ts'
import { BrokenAttempt, type Machine } from './checks.ts'

/** What of all that can happen does happen in one play; the scheduler draws the order. */
export interface Behaviour {
  readonly starts: boolean
  readonly outcome: HandlerOutcome | null
  /** Whether the thread is handed back after the outcome. */
  readonly comesBack: boolean
  readonly diesAlone: boolean
  readonly stop: 'cancel' | 'drain' | null
  readonly leaseLost: boolean
}

/** Plays an attempt until nothing can happen any more. Whatever the handler does, the attempt must come to its end. */
export async function playFaithfully(
  machine: Machine,
  graces: Graces,
  behaviour: Behaviour,
  scheduler: Scheduler,
): Promise<void> {
  const play = new Play(machine, graces, scheduler, behaviour)
  while (scheduler.count() > 0) await scheduler.waitNext(1)
  play.judgeEnd()
}

class Play {
  readonly #machine: Machine
  readonly #graces: Graces
  readonly #scheduler: Scheduler
  readonly #behaviour: Behaviour
  readonly #events: AttemptEvent[] = []
  readonly #effects: (readonly AttemptEffect[])[] = []
  #state = attemptAtStart
  #timer = 0
  #terminated = false
  #gone = false

  constructor(machine: Machine, graces: Graces, scheduler: Scheduler, behaviour: Behaviour) {
    this.#machine = machine
    this.#graces = graces
    this.#scheduler = scheduler
    this.#behaviour = behaviour
    this.#arm({ type: 'stuck' })
    const { starts, stop, leaseLost, diesAlone } = behaviour
    if (starts) this.#onThread(() => this.#start())
    if (stop !== null) this.#later(() => this.#on({ type: 'stop', reason: stop }))
    if (leaseLost) this.#later(() => this.#on({ type: 'lease-lost' }))
    if (diesAlone) this.#onThread(() => this.#exit())
  }

  judgeEnd(): void {
    const isOver = this.#state.phase === 'over'
    if (!isOver && !this.#terminated)
      throw new BrokenAttempt('a thread is told to die by the deadline and its grace', this.#events, this.#effects)
    if (!isOver) throw new BrokenAttempt('an attempt is over when its thread is', this.#events, this.#effects)
  }

  #later(run: () => void): void {
    void this.#scheduler.schedule(Promise.resolve()).then(run)
  }

  #onThread(run: () => void): void {
    this.#later(() => {
      if (!this.#gone) run()
    })
  }

  #start(): void {
    this.#on({ type: 'started' })
    if (this.#state.phase === 'running') this.#arm({ type: 'deadline' })
    const { outcome, comesBack } = this.#behaviour
    if (outcome === null) return
    this.#onThread(() => {
      this.#on({ type: 'outcome', outcome })
      if (comesBack) this.#onThread(() => this.#terminated || this.#over({ type: 'done' }))
    })
  }

  #exit(): void {
    this.#over({ type: 'exited', exitCode: 1, error: null, terminated: this.#terminated })
  }

  #over(end: RunEnd): void {
    this.#gone = true
    this.#on({ type: 'over', end })
  }

  /** One timer at a time, as the actor has it: what is armed last replaces what was armed before. */
  #arm(event: AttemptEvent): void {
    const armed = ++this.#timer
    this.#later(() => armed === this.#timer && this.#on(event))
  }

  #on(event: AttemptEvent): void {
    const { state, effects } = this.#machine(this.#state, event, this.#graces)
    this.#state = state
    this.#events.push(event)
    this.#effects.push(effects)
    for (const effect of effects) {
      if (effect.type === 'arm-grace') this.#arm({ type: 'grace-over' })
      if (effect.type === 'arm-release') this.#arm({ type: 'stuck' })
      if (effect.type === 'arm-kill-wait') this.#arm({ type: 'kill-wait-over' })
      if (effect.type === 'inspect') this.#later(() => this.#on({ type: 'inspected', frames: null }))
      if (effect.type !== 'terminate') continue
      this.#timer++
      this.#terminated = true
      this.#onThread(() => this.#exit())
    }
  }
}
