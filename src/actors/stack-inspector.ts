/**
 * Asks where the code of a thread is. The seam between attempts and whoever can look into threads: in a runtime the
 * app's thread, which alone has an inspector that sees them all.
 */
import type { StackFrame } from '../job/stack-frame.ts'

/** Reads the stacks of threads that are about to be ended. */
export interface StackInspector {
  /** Whether it can be asked at all; if not, no attempt waits for it. */
  readonly available: boolean
  /**
   * The frames of a thread, innermost first; null where the thread did not answer (it is in native code), undefined
   * where nobody could ask it. Always resolves, within a tenth of a second or so.
   */
  framesOf(threadId: number): Promise<readonly StackFrame[] | null | undefined>
}

/** For runtimes that do not look. */
export const noInspector: StackInspector = { available: false, framesOf: async () => undefined }
