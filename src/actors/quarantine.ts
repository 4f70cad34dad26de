/**
 * When suspects run. A suspect was held when a process died; it runs with nothing beside it, so that the next death is proof.
 * While one is due nothing else is claimed, until the runtime is empty; then suspects are taken one by one, and then all goes on.
 *
 * Neither side waits for ever. A runtime that does not become empty claims as usual for a while and then tries again, longer
 * each time. A suspect that runs on is believed harmless in the end, so that one without a timeout blocks nobody.
 */
import type { Clock, Timer } from '../clock.ts'

/** How long a runtime first waits until what it runs has ended. Doubled after each wait in vain. */
const emptyingMs = 60_000
/** How long a suspect runs alone at most. */
const aloneMaxMs = 15 * 60_000

/** What a claim may take: suspects, alone; everything else; or it should not be made. */
export type ClaimScope = 'suspect-first' | 'unsuspected' | 'none'

/** What the runtime does at this moment. */
export interface Occupancy {
  /** Something runs or is held. */
  readonly busy: boolean
  /** One of it is a suspect. */
  readonly suspect: boolean
}

/** Says what the next claim may take. */
export class Quarantine {
  readonly #clock: Clock
  readonly #reopened: () => void
  #suspectsDue = false
  #waitMs = emptyingMs
  #waitsFor: 'emptiness' | 'suspect' | null = null
  /** The wait was in vain. */
  #isTired = false
  #timer: Timer | undefined

  /** `reopened` is called when claims may be made again that were not before, for the passing of time alone. */
  constructor(clock: Clock, reopened: () => void) {
    this.#clock = clock
    this.#reopened = reopened
  }

  /** What the last claim said. */
  suspectsDue(due: boolean): void {
    this.#suspectsDue = due
  }

  /** What the next claim may take. */
  scope({ busy, suspect }: Occupancy): ClaimScope {
    if (!busy) {
      this.#waitMs = emptyingMs
      this.#waitFor(null)
      return 'suspect-first'
    }
    this.#waitFor(suspect ? 'suspect' : this.#suspectsDue ? 'emptiness' : null)
    return this.#waitsFor === null || this.#isTired ? 'unsuspected' : 'none'
  }

  /** Stops its timer. */
  stop(): void {
    this.#waitFor(null)
  }

  #waitFor(what: 'emptiness' | 'suspect' | null): void {
    if (this.#waitsFor === what) return
    this.#waitsFor = what
    this.#isTired = false
    this.#timer?.cancel()
    if (what !== null) this.#sleep(what)
  }

  #sleep(what: 'emptiness' | 'suspect'): void {
    const ms = what === 'suspect' ? aloneMaxMs : this.#waitMs
    this.#timer = this.#clock.after(ms, () => {
      this.#isTired = !this.#isTired
      if (!this.#isTired) this.#waitMs *= 2
      // A suspect that was let off stays so; for emptiness the next wait begins after as long a time of claims.
      if (what === 'emptiness') this.#sleep(what)
      if (this.#isTired) this.#reopened()
    })
  }
}
