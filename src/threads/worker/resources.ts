/**
 * What the kinds of this worker have set up. Each resource is made once; where that fails it is tried again by a later job,
 * after a wait that grows, and until then jobs of the kind are turned away at once.
 */
import { type Clock, realClock } from '../../clock.ts'
import { ReeveError } from '../../errors.ts'
import type { WorkerResource } from '../../job/worker-resource.ts'
import { encodeError } from '../error-codec.ts'

const retryMinMs = 1_000
const retryMaxMs = 30_000
const tooLate = Symbol('too late')

interface Failed {
  readonly error: ReeveError
  readonly failures: number
  readonly until: number
}

/** Why a resource could not be made. `hung`: its `setup` goes on, so that the worker is of no use any more. */
export interface SetupFailure {
  readonly error: ReeveError
  readonly hung: boolean
}

/** The resources of one worker. */
export class Resources {
  readonly #setupMaxMs: number
  readonly #clock: Clock = realClock()
  /** In the order in which they were made. */
  readonly #made = new Map<WorkerResource['setup'], { readonly resource: WorkerResource; readonly value: unknown }>()
  readonly #failed = new Map<WorkerResource['setup'], Failed>()

  constructor(setupMaxMs: number) {
    this.#setupMaxMs = setupMaxMs
  }

  /** Whether it is there. */
  has({ setup }: WorkerResource): boolean {
    return this.#made.has(setup)
  }

  /** What was made; undefined where nothing was. */
  get(resource: WorkerResource | undefined): unknown {
    return resource === undefined ? undefined : this.#made.get(resource.setup)?.value
  }

  /** Why it is not tried now; null where it may be. */
  refusal({ setup }: WorkerResource): ReeveError | null {
    const failed = this.#failed.get(setup)
    return failed !== undefined && this.#clock.mono() < failed.until ? failed.error : null
  }

  /** Takes in what somebody else has made, and will unmake. */
  keep(resource: WorkerResource, value: unknown): void {
    this.#made.set(resource.setup, { resource, value })
  }

  /** It is of no use any more, and is made anew for the next job. */
  forget({ setup }: WorkerResource): void {
    this.#made.delete(setup)
  }

  /** Makes it, and resolves with null, or with what kept it from that. */
  async make(resource: WorkerResource, kind: string): Promise<SetupFailure | null> {
    const { setup, self } = resource
    const late = Promise.withResolvers<typeof tooLate>()
    const timer = this.#clock.after(this.#setupMaxMs, () => late.resolve(tooLate))
    try {
      const value = await Promise.race([setup.call(self), late.promise])
      if (value === tooLate)
        return { error: this.#fail(resource, kind, `did not end within ${this.#setupMaxMs} ms.`), hung: true }
      this.#made.set(setup, { resource, value })
      this.#failed.delete(setup)
      return null
    } catch (cause) {
      const failed = resource.words?.failed ?? 'failed'
      return { error: this.#fail(resource, kind, `${failed}: ${encodeError(cause).message}`, cause), hung: false }
    } finally {
      timer.cancel()
    }
  }

  /** Unmakes all, the last one first; `failed` hears of each that fails. */
  async unmakeAll(failed: (error: ReeveError) => void): Promise<void> {
    for (const { resource, value } of [...this.#made.values()].reverse()) {
      try {
        await resource.teardown?.call(resource.self, value as never)
      } catch (cause) {
        failed(new ReeveError('REEVE_SETUP_FAILED', `A teardown failed: ${encodeError(cause).message}`, { cause: cause ?? null }))
      }
    }
    this.#made.clear()
  }

  #fail({ setup, words }: WorkerResource, kind: string, how: string, cause?: unknown): ReeveError {
    const failures = (this.#failed.get(setup)?.failures ?? 0) + 1
    const isOwn = words !== undefined && cause instanceof ReeveError
    const error = new ReeveError(
      isOwn ? cause.code : 'REEVE_SETUP_FAILED',
      `The ${words?.what ?? 'setup'} of kind '${kind}' ${how}`,
      {
        kind,
        cause: (isOwn ? cause.cause : cause) ?? null,
      },
    )
    const waitMs = Math.min(retryMinMs * 2 ** (failures - 1), retryMaxMs)
    this.#failed.set(setup, { error, failures, until: this.#clock.mono() + waitMs })
    return error
  }
}
