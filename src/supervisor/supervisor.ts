/**
 * Starts the children in order, stops them in the reverse order, and answers the death of one by its restart rule,
 * as an OTP supervisor does. It knows nothing of what the children do.
 */
import type { ServiceLogger } from '../actors/service-logger.ts'
import type { Clock } from '../clock.ts'
import { decideRestart, type RestartPolicy, restartPolicyDefault } from '../restart-policy.ts'

/**
 * One supervised part. `alone`: it can be started anew at any time. `escalate`: it holds what cannot be rebuilt
 * beside its neighbours, so its failure ends the thread, and the client starts a whole new one.
 */
export interface Child {
  readonly name: string
  readonly onFailure: 'alone' | 'escalate'
  start(): Promise<void> | void
  stop(): Promise<void> | void
}

/** What a supervisor works with. */
export interface SupervisorOptions {
  readonly children: readonly Child[]
  readonly clock: Clock
  readonly logger: ServiceLogger
  /** Called once, when the thread cannot go on. */
  readonly escalate: (error: unknown) => void
  readonly policy?: RestartPolicy
}

/** Supervises the children of one runtime. */
export class Supervisor {
  readonly #options: SupervisorOptions
  #started: Child[] = []
  #history: readonly number[] = []
  #state: 'starting' | 'up' | 'stopping' | 'escalated' = 'starting'

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Starts all children; if one fails, those before it are stopped and its error is thrown. */
  async start(): Promise<void> {
    for (const child of this.#options.children) {
      try {
        await child.start()
      } catch (error) {
        await this.stop()
        throw error
      }
      this.#started.push(child)
    }
    this.#state = 'up'
  }

  /** Stops what was started, last first. A child that fails to stop does not keep the others from stopping. */
  async stop(): Promise<void> {
    this.#state = 'stopping'
    for (const child of this.#started.splice(0).reverse()) {
      try {
        await child.stop()
      } catch (error) {
        this.#options.logger.error({ err: error, child: child.name }, 'a part of the supervisor failed to stop')
      }
    }
  }

  /** A child reports that it cannot go on. */
  async childFailed(name: string, error: unknown): Promise<void> {
    const child = this.#options.children.find((candidate) => candidate.name === name)
    if (child === undefined || this.#state === 'stopping' || this.#state === 'escalated') return
    const { clock, logger, policy = restartPolicyDefault } = this.#options
    const decision = decideRestart(this.#history, clock.mono(), policy)
    if (child.onFailure === 'escalate' || !decision.restart) return this.#escalate(child, error)
    this.#history = decision.history
    logger.error({ err: error, child: name }, 'a part of the supervisor failed and is started again')
    try {
      await child.stop()
      await child.start()
    } catch (again) {
      this.#escalate(child, again)
    }
  }

  #escalate(child: Child, error: unknown): void {
    this.#state = 'escalated'
    this.#options.logger.fatal({ err: error, child: child.name }, 'a part of the supervisor failed and cannot be restarted alone')
    this.#options.escalate(error)
  }
}
