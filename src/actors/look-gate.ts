/**
 * Keeps looks into threads and the ends of threads apart. To look, the inspector speaks to *every* thread of the process, and Node
 * aborts the whole process where one of them is gone at that instant (measured). So a thread is told to die while nobody
 * looks, and nobody looks while one is dying. A thread that exits by itself just then is the one case that is left.
 */
import type { Clock } from '../clock.ts'
import type { StackFrame } from '../job/stack-frame.ts'
import type { StackInspector } from './stack-inspector.ts'

/** A look waits this long for threads that are dying: most are gone in milliseconds, one in native code is not. */
const waitMaxMs = 250

/** A stack inspector that attempts also tell of the threads that they end. */
export interface GuardedInspector extends StackInspector {
  /** Calls `kill` as soon as nobody looks, at once as a rule. The caller says by the returned function that the thread is gone, or written off. */
  ending(kill: () => void): () => void
}

/** The gate of one runtime. */
export class LookGate implements GuardedInspector {
  readonly available: boolean
  readonly #inspector: StackInspector
  readonly #clock: Clock
  #looks = 0
  #dying = 0
  #kills: (() => void)[] = []
  #lookers: (() => void)[] = []

  constructor(inspector: StackInspector, clock: Clock) {
    this.available = inspector.available
    this.#inspector = inspector
    this.#clock = clock
  }

  async framesOf(threadId: number): Promise<readonly StackFrame[] | null | undefined> {
    if (this.#dying === 0) this.#looks++
    else if (!(await this.#begunWhenAllGone())) return undefined
    try {
      return await this.#inspector.framesOf(threadId)
    } finally {
      this.#looks--
      if (this.#looks === 0) for (const kill of this.#kills.splice(0)) kill()
    }
  }

  ending(kill: () => void): () => void {
    this.#dying++
    if (this.#looks === 0) kill()
    else this.#kills.push(kill)
    let gone = false
    return () => {
      if (gone) return
      gone = true
      this.#dying--
      if (this.#dying === 0) for (const look of this.#lookers.splice(0)) look()
    }
  }

  /** Counts a look once nothing is dying; false where the bound came first. A kill that waits is dying too, so looks cannot put it off for ever. */
  #begunWhenAllGone(): Promise<boolean> {
    return new Promise((resolve) => {
      const look = () => {
        timer.cancel()
        // Counted in this very turn: an end that begins before the promise is served must find it.
        this.#looks++
        resolve(true)
      }
      const timer = this.#clock.after(waitMaxMs, () => {
        this.#lookers = this.#lookers.filter((other) => other !== look)
        resolve(false)
      })
      this.#lookers.push(look)
    })
  }
}
