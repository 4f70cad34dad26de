/** Checks inputs in the app's thread, where the jobs object itself was given. The worker checks them again. */
import { ReeveError } from '../errors.ts'
import type { Jobs } from '../job/definition.ts'
import { checkInput } from '../job/input-schema.ts'

/**
 * Lets an input through, or says what is wrong with it. What the schema makes of it is not stored: the worker's own
 * check does that, from the input as it was given.
 *
 * @throws ReeveError `REEVE_KIND_UNKNOWN`, `REEVE_INPUT_INVALID` with the schema's own messages.
 */
export async function checkInputHere(definitions: Jobs, kind: string, input: unknown): Promise<void> {
  const definition = Object.hasOwn(definitions.kinds, kind) ? definitions.kinds[kind] : undefined
  if (definition === undefined) {
    throw new ReeveError(
      'REEVE_KIND_UNKNOWN',
      `There is no kind '${kind}'; there are ${Object.keys(definitions.kinds).join(', ')}.`,
      { kind },
    )
  }
  if (definition.schema === undefined) return
  const checked = await checkInput(definition.schema, input)
  if (!checked.valid)
    throw new ReeveError('REEVE_INPUT_INVALID', `The input of kind '${kind}' does not match its schema: ${checked.complaint}`, {
      kind,
    })
}
