/**
 * The names that one run of a handler has used for its steps. A name stands for one step: a second use is a mistake, unless the
 * first one ended in an error (a retry by hand). Both places are told.
 */
import { optionInvalid, ReeveError } from '../../../errors.ts'
import { complaintOfName } from '../../../job/step.ts'

/** One use of a name. */
export interface StepUse {
  readonly name: string
  failed: boolean
}

interface KnownUse extends StepUse {
  readonly place: { readonly stack?: string }
}

/** The uses so far. */
export class StepNames {
  readonly #uses = new Map<string, KnownUse>()

  /**
   * Uses a name; `caller` is the function that the handler called.
   *
   * @throws ReeveError `REEVE_STEP_DUPLICATE` with both places, `REEVE_OPTION_INVALID`.
   */
  use(name: string, caller: (...parameters: never) => unknown): StepUse {
    const complaint = complaintOfName(name)
    if (complaint !== undefined) throw optionInvalid('name', name, complaint)
    const place: { readonly stack?: string } = {}
    Error.captureStackTrace(place, caller)
    const before = this.#uses.get(name)
    if (before !== undefined && !before.failed) throw duplicate(name, before.place, place)
    const use = { name, place, failed: false }
    this.#uses.set(name, use)
    return use
  }

  /** Whether this run has used the name. */
  has(name: string): boolean {
    return this.#uses.has(name)
  }
}

function duplicate(name: string, first: KnownUse['place'], second: KnownUse['place']): ReeveError {
  return new ReeveError(
    'REEVE_STEP_DUPLICATE',
    `The step name '${name}' is used twice in one run of the handler: first ${placeOf(first)}, then ${placeOf(second)}. A name stands for one step of the job; in a loop, put the number into it.`,
  )
}

function placeOf({ stack = '' }: KnownUse['place']): string {
  const frame = stack.split('\n').find((line) => line.startsWith('    at '))
  return frame === undefined ? 'at an unknown place' : frame.trim()
}
