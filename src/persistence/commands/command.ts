/**
 * All commands of a store: plain data. A property test can drive a store, a wrong store and a model with the same values.
 * Every command may be repeated after a commit whose outcome is unknown: the second run finds what the first one did and
 * gives the same answer (invariants `settle-again-same-answer`, `commit-unknown-safe`).
 */
import type { CancelAnswer, CancelCommand } from './cancel.ts'
import type { ClaimAnswer, ClaimCommand } from './claim.ts'
import type { CloseBreakerAnswer, CloseBreakerCommand } from './close-breaker.ts'
import type { DeclareLimitsAnswer, DeclareLimitsCommand } from './declare-limits.ts'
import type { EmitAnswer, EmitCommand } from './emit.ts'
import type { EnqueueAnswer, EnqueueCommand } from './enqueue.ts'
import type { KeepEventsAnswer, KeepEventsCommand } from './keep-events.ts'
import type { KeyValueAnswer, KeyValueCommand } from './key-value.ts'
import type { LockAnswer, LockCommand, UnlockAnswer, UnlockCommand } from './lock.ts'
import type { LogAnswer, LogCommand } from './log.ts'
import type { PauseAnswer, PauseCommand, ResumeAnswer, ResumeCommand } from './pause.ts'
import type { ProgressAnswer, ProgressCommand } from './progress.ts'
import type { PruneAnswer, PruneCommand } from './prune.ts'
import type { PruneEventsAnswer, PruneEventsCommand } from './prune-events.ts'
import type { ReclaimAnswer, ReclaimCommand } from './reclaim.ts'
import type { RenewAnswer, RenewCommand } from './renew.ts'
import type {
  DeclareSchedulesAnswer,
  DeclareSchedulesCommand,
  FireScheduleAnswer,
  FireScheduleCommand,
  SteerScheduleAnswer,
  SteerScheduleCommand,
  TriggerScheduleAnswer,
  TriggerScheduleCommand,
} from './schedules.ts'
import type { SettleAnswer, SettleCommand } from './settle.ts'
import type { SteerAnswer, SteerCommand } from './steer.ts'
import type { StepAnswer, StepCommand } from './step.ts'
import type { WakeAnswer, WakeCommand } from './wake.ts'

/** Each command with the answer that belongs to it, by the command's type. */
interface Verbs {
  readonly enqueue: { readonly command: EnqueueCommand; readonly answer: EnqueueAnswer }
  readonly claim: { readonly command: ClaimCommand; readonly answer: ClaimAnswer }
  readonly renew: { readonly command: RenewCommand; readonly answer: RenewAnswer }
  readonly settle: { readonly command: SettleCommand; readonly answer: SettleAnswer }
  readonly progress: { readonly command: ProgressCommand; readonly answer: ProgressAnswer }
  readonly 'key-value': { readonly command: KeyValueCommand; readonly answer: KeyValueAnswer }
  readonly lock: { readonly command: LockCommand; readonly answer: LockAnswer }
  readonly unlock: { readonly command: UnlockCommand; readonly answer: UnlockAnswer }
  readonly log: { readonly command: LogCommand; readonly answer: LogAnswer }
  readonly 'keep-events': { readonly command: KeepEventsCommand; readonly answer: KeepEventsAnswer }
  readonly 'prune-events': { readonly command: PruneEventsCommand; readonly answer: PruneEventsAnswer }
  readonly cancel: { readonly command: CancelCommand; readonly answer: CancelAnswer }
  readonly step: { readonly command: StepCommand; readonly answer: StepAnswer }
  readonly emit: { readonly command: EmitCommand; readonly answer: EmitAnswer }
  readonly wake: { readonly command: WakeCommand; readonly answer: WakeAnswer }
  readonly 'declare-limits': { readonly command: DeclareLimitsCommand; readonly answer: DeclareLimitsAnswer }
  readonly pause: { readonly command: PauseCommand; readonly answer: PauseAnswer }
  readonly resume: { readonly command: ResumeCommand; readonly answer: ResumeAnswer }
  readonly 'close-breaker': { readonly command: CloseBreakerCommand; readonly answer: CloseBreakerAnswer }
  readonly reclaim: { readonly command: ReclaimCommand; readonly answer: ReclaimAnswer }
  readonly 'declare-schedules': { readonly command: DeclareSchedulesCommand; readonly answer: DeclareSchedulesAnswer }
  readonly 'steer-schedule': { readonly command: SteerScheduleCommand; readonly answer: SteerScheduleAnswer }
  readonly 'trigger-schedule': { readonly command: TriggerScheduleCommand; readonly answer: TriggerScheduleAnswer }
  readonly 'fire-schedule': { readonly command: FireScheduleCommand; readonly answer: FireScheduleAnswer }
  readonly prune: { readonly command: PruneCommand; readonly answer: PruneAnswer }
  readonly steer: { readonly command: SteerCommand; readonly answer: SteerAnswer }
}

/** Everything that a store can be told. */
export type Command = Verbs[keyof Verbs]['command']
/** Everything that a store can answer. */
export type Answer = Verbs[keyof Verbs]['answer']
/** The answer that belongs to a command. */
export type AnswerTo<C extends Command> = Verbs[C['type']]['answer']
