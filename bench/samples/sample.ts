/** What every sample is given and gives back. */

/** How large the samples of this run are. */
export interface SampleSettings {
  /** Where databases go: an existing folder on the disk to be measured. */
  readonly folder: string
  /** No-op jobs in one sample. */
  readonly noopJobs: number
  /** 5 ms jobs in one sample. */
  readonly cpuJobs: number
  /** Rounds of `spin` that take about 5 ms. */
  readonly cpuRounds: number
  /** Jobs, one after the other, in one sample of the latency. */
  readonly latencyJobs: number
  /** How long the idle process is watched. */
  readonly idleMs: number
}

/** Worker threads, of Reeve and of the bare pool alike. */
export const threads = 2

/** Numbers by name, in the unit that the name ends with. */
export type SampleNumbers = Readonly<Record<string, number>>

/** Takes one sample in a process of its own. */
export type Sample = (settings: SampleSettings) => Promise<SampleNumbers>

/** Jobs a second from a number of jobs and the milliseconds that they took. */
export function perSecond(jobs: number, begunAt: number): number {
  return jobs / ((performance.now() - begunAt) / 1e3)
}
