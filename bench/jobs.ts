/** The kinds of jobs that the bench runs. */
import { defineJobs, job } from 'reeve'
import { spin } from './cpu-work.ts'

export default defineJobs({
  noop: job({ run: (_input: { readonly n: number }) => null }),
  cpu: job({ run: (input: { readonly rounds: number }) => spin(input.rounds) }),
  /** Says when its handler started, on the clock that all threads of a process share. */
  startedAt: job({ run: (_input: { readonly n: number }) => Number(process.hrtime.bigint()) / 1e6 }),
})
