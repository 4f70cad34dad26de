/** What a runtime is doing at one moment. Types only. */

/** How busy a runtime is. */
export interface RuntimeLoad {
  /** Attempts that run now. */
  readonly running: number
  /** Jobs claimed ahead for the next idle threads. */
  readonly held: number
  /** Worker threads that are open. */
  readonly threads: number
  /** Those of them that were told to terminate, did not, and were written off. */
  readonly condemned: number
}
