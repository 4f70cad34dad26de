/** Checks inputs against the schema of their kind, by the Standard Schema interface (https://standardschema.dev). */
import type { StandardSchemaV1 } from '@standard-schema/spec'

const issuesShown = 10
const messageMax = 500

/** A checked input: what the schema made of it, or all complaints in one text. */
export type CheckedInput =
  | { readonly valid: true; readonly value: unknown }
  | { readonly valid: false; readonly complaint: string }

/** Checks an input, and names up to `issuesMax` (10) faults of it. A validator that throws, throws from here: that is a fault of the schema, not of the input. */
export async function checkInput(schema: StandardSchemaV1, input: unknown, issuesMax = issuesShown): Promise<CheckedInput> {
  const result = await schema['~standard'].validate(input)
  if (result.issues === undefined) return { valid: true, value: result.value }
  const complaints = result.issues.slice(0, issuesMax).map((issue) => `${pathOf(issue)}${issue.message.slice(0, messageMax)}`)
  const more = result.issues.length - complaints.length
  return { valid: false, complaint: `${complaints.join('; ')}${more > 0 ? `; and ${more} more` : ''}` }
}

/** `user.emails[0]: `, or nothing where the whole input is meant. */
function pathOf(issue: StandardSchemaV1.Issue): string {
  const steps = (issue.path ?? []).map((step) => (typeof step === 'object' ? step.key : step))
  const path = steps
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('')
  return path === '' ? '' : `${path}: `
}
