/** Pause and resume: the commands, and their answers. */
import type { PauseTarget } from '../../job/pause.ts'

/** Nothing of the target is claimed until it is resumed, or until then; a pause that was there is replaced. What runs goes on. */
export interface PauseCommand {
  readonly type: 'pause'
  readonly now: number
  readonly target: PauseTarget
  readonly until: number | null
  readonly reason: string | null
}
/** It is paused. */
export interface PauseAnswer {
  readonly type: 'paused'
}

/** Ends a pause; where there is none it does nothing. */
export interface ResumeCommand {
  readonly type: 'resume'
  readonly target: PauseTarget
}
/** It is not paused any more. */
export interface ResumeAnswer {
  readonly type: 'resumed'
}
