/** `env` of a kind: the schema that its environment variables are to match, and what becomes of them. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { optionInvalid, ReeveError } from '../errors.ts'
import { checkInput } from './input-schema.ts'

/** Programs have dozens of variables, and all that are wrong are to be named at once. */
const complaintsShown = 100

/** The type of `ctx.env` for the schema that was declared, if any. */
export type EnvironmentOf<Schema> = [Schema] extends [never]
  ? undefined
  : Schema extends StandardSchemaV1
    ? StandardSchemaV1.InferOutput<Schema>
    : undefined

/**
 * Checks that it is a schema; `option` is what it is called in the error.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`.
 */
export function checkEnvironmentSchema(schema: StandardSchemaV1, option: string): void {
  if (typeof schema?.['~standard']?.validate === 'function') return
  throw optionInvalid(option, schema, 'a schema of zod, valibot, arktype or the like: z.object({ API_KEY: z.string() })')
}

/**
 * What the schema makes of the variables.
 *
 * @throws ReeveError `REEVE_ENV_INVALID` that names each variable that is wrong.
 */
export async function environmentOf(schema: StandardSchemaV1, variables: NodeJS.ProcessEnv): Promise<unknown> {
  const checked = await checkInput(schema, { ...variables }, complaintsShown)
  if (checked.valid) return checked.value
  throw new ReeveError('REEVE_ENV_INVALID', checked.complaint)
}
