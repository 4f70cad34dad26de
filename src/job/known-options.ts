/** Refuses options that do not exist: a misspelt one would otherwise be a default that nobody notices. */
import { optionInvalid } from '../errors.ts'

/** One entry for each option of an interface, so that the compiler sees to it that none is left out. */
export type KnownOptions<Options> = Readonly<Record<keyof Options, true>>

/**
 * Looks at the names only. `within` is put before the name in the error, as in `memory.`.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, its value and the options there are.
 */
export function refuseUnknownOptions<Options>(options: object, known: KnownOptions<Options>, within = ''): void {
  for (const [option, value] of Object.entries(options)) {
    if (Object.hasOwn(known, option)) continue
    throw optionInvalid(`${within}${option}`, value, `no such option; there are ${Object.keys(known).join(', ')}`)
  }
}
