/** A job file with options by name. */
import type { JobContext } from '../../../src/index.ts'

export const timeout = '30s'
export const retry = { attemptsMax: 2, backoff: { base: '1s' } }

export async function run(input: { file: string }, ctx: JobContext): Promise<{ path: string }> {
  ctx.progress(0.5)
  return { path: input.file }
}
