/** What the bare pool runs: the same handlers as in `jobs.ts`. */
import { spin } from '../cpu-work.ts'

export const noop = (_input: { readonly n: number }) => null
export const cpu = (input: { readonly rounds: number }) => spin(input.rounds)
