/** A job file whose input is checked by a schema. */
import { z } from 'zod'

export const input = z.object({ cents: z.string().transform(Number) })

export function run({ cents }: z.infer<typeof input>): number {
  return cents * 2
}
