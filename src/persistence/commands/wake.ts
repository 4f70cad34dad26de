/** Wake: the command that lets suspended jobs go on whose time has come, and its answer. */

/** Makes up to `limit` suspended jobs `ready` whose earliest timer is due, and ends the waits that are due. */
export interface WakeCommand {
  readonly type: 'wake'
  readonly now: number
  readonly limit: number
}
/** What is left. */
export interface WakeAnswer {
  readonly type: 'woken'
  /** When the next timer of a suspended job is due, or null. At or before `now` where the limit was met. */
  readonly nextWakeAt: number | null
}
