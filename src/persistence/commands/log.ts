/** Log: the command that keeps lines of an attempt, and its answer. */
import type { Lease } from '../../job/lease.ts'

/** One line as it is kept. */
export interface KeptLine {
  /** Its number among all lines of the attempt, from 1. A gap: lines between were dropped. */
  readonly line: number
  /** Wall clock, milliseconds. */
  readonly at: number
  /** pino's number. */
  readonly level: number
  readonly message: string
  /** JSON, or null. */
  readonly fields: string | null
}

/** Keeps lines of a running attempt, under its token. */
export interface LogCommand {
  readonly type: 'log'
  readonly lease: Lease
  readonly attempt: number
  readonly lines: readonly KeptLine[]
  /** Only the latest so many lines of the job are kept, all attempts together. */
  readonly keep: number
}
/** Whether the lease was still the job's own. */
export interface LogAnswer {
  readonly type: 'logged'
  readonly applied: boolean
}
