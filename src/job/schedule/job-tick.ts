/** What a scheduled job knows of its tick. Times are wall clock, milliseconds. */
export interface JobTick {
  readonly schedule: string
  /** The instant that it was made for; null where it was triggered by hand. */
  readonly scheduledAt: number | null
  /** The instant after it, when it was made; null where there is none. */
  readonly nextAt: number | null
  /** Nobody fired it in time; it is made up for. */
  readonly isCatchUp: boolean
}
