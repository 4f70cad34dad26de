/**
 * The life of one attempt as a pure function: (state, event) → state and effects. The attempt actor carries the
 * effects out; the properties drive this function alone, through every order of events.
 *
 * Invariants kept here: at most one settle; no settle before the handler ended or its thread exited; once the
 * thread was told to die, nothing is decided before `over`; a result that came before that wins over a timeout.
 */
import type { ErrorRecord } from '../job/error-record.ts'
import type { StopReason } from '../job/kind.ts'
import type { StackFrame } from '../job/stack-frame.ts'
import type { HandlerOutcome } from '../threads/protocol.ts'
import type { RunEnd } from '../threads/thread-pool.ts'

/**
 * `starting`: handed to a thread, the handler has not begun. `running`: it has. `stopping`: asked to stop, in its
 * grace. `inspecting`: its stack is being read, for a moment, before it is ended. `killing`: the thread was told to
 * terminate and lives. `condemned`: it has not gone for so long that it is written off; the job stays its. `ended`: the outcome is in, the thread not yet
 * back. `over`: the thread is free or has exited.
 */
export type AttemptPhase = 'starting' | 'running' | 'stopping' | 'inspecting' | 'killing' | 'condemned' | 'ended' | 'over'

/** Everything that decides how an attempt goes on. */
export interface AttemptState {
  readonly phase: AttemptPhase
  /** Why it is to stop; the first reason stands, but for a lost lease, which leaves nothing to settle. */
  readonly stop: StopReason | null
  /** What the handler said, where it has not been settled yet. */
  readonly outcome: HandlerOutcome | null
  /** Whether the one settle of this attempt was decided on (or, with a lost lease, that there is none). */
  readonly decided: boolean
  /** Where the handler was when it was ended: null where the thread did not answer, absent where nobody asked. */
  readonly frames?: readonly StackFrame[] | null
}

/** What can happen to an attempt. */
export type AttemptEvent =
  | { readonly type: 'started' }
  | { readonly type: 'outcome'; readonly outcome: HandlerOutcome }
  /** The handler has run for its whole timeout. */
  | { readonly type: 'deadline' }
  | { readonly type: 'stop'; readonly reason: 'cancel' | 'drain' }
  | { readonly type: 'lease-lost' }
  | { readonly type: 'grace-over' }
  /** The stack was read, or (null) the thread did not answer in time; undefined where nobody could be asked. */
  | { readonly type: 'inspected'; readonly frames: readonly StackFrame[] | null | undefined }
  /** The thread has not exited for so long after it was told to. */
  | { readonly type: 'kill-wait-over' }
  /** The thread neither began the handler, nor came back after it, within the bound for that. */
  | { readonly type: 'stuck' }
  | { readonly type: 'over'; readonly end: RunEnd }

/** How the attempt ends, before the retry policy has had its say. */
export type Verdict =
  | { readonly type: 'complete'; readonly outcome: Extract<HandlerOutcome, { type: 'returned' }> }
  | Extract<HandlerOutcome, { type: 'threw' | 'snoozed' }>
  | { readonly type: 'timed-out'; readonly cause: ErrorRecord | null; readonly frames?: readonly StackFrame[] | null }
  | { readonly type: 'thread-died'; readonly exitCode: number; readonly error: ErrorRecord | null }
  | { readonly type: 'rejected'; readonly error: ErrorRecord }
  | { readonly type: 'unknown-kind'; readonly error: ErrorRecord }
  | { readonly type: 'setup-failed'; readonly error: ErrorRecord }
  | { readonly type: 'suspended'; readonly waits: Extract<HandlerOutcome, { type: 'suspended' }>['waits'] }
  | { readonly type: 'skipped' }
  | { readonly type: 'cancelled' }
  | { readonly type: 'interrupted' }

/** What is to be done. */
export type AttemptEffect =
  | { readonly type: 'request-stop'; readonly reason: StopReason }
  | { readonly type: 'arm-grace'; readonly ms: number }
  /** Expect the thread back soon; `stuck` comes if it does not. */
  | { readonly type: 'arm-release' }
  /** Read the handler's stack; `inspected` comes soon, in any case. */
  | { readonly type: 'inspect' }
  | { readonly type: 'terminate' }
  | { readonly type: 'arm-kill-wait' }
  /** Write the thread off: another one is to be opened in its place. */
  | { readonly type: 'condemn' }
  | { readonly type: 'settle'; readonly verdict: Verdict }
  | { readonly type: 'finish' }

/** The graces of one attempt, in milliseconds. */
export interface Graces {
  readonly timeoutGraceMs: number
  readonly stopGraceMs: number
  /** Whether the stack of a handler that is ended for its timeout is read first. */
  readonly inspects: boolean
}

/** A new state with what follows from the event. */
export interface AttemptStep {
  readonly state: AttemptState
  readonly effects: readonly AttemptEffect[]
}

/** The state of an attempt that was just handed to a thread. */
export const attemptAtStart: AttemptState = { phase: 'starting', stop: null, outcome: null, decided: false }

/** The one transition function of attempts. Events that mean nothing in a phase change nothing. */
export function nextAttempt(state: AttemptState, event: AttemptEvent, graces: Graces): AttemptStep {
  switch (event.type) {
    case 'started':
      return state.phase === 'starting' ? { state: { ...state, phase: 'running' }, effects: [] } : unchanged(state)
    case 'outcome':
      return onOutcome(state, event.outcome)
    case 'deadline':
      return onDeadline(state, graces)
    case 'stop':
      return isAtWork(state) ? askToStop(state, event.reason, graces.stopGraceMs, graces) : unchanged(state)
    case 'lease-lost':
      return onLeaseLost(state)
    case 'grace-over':
      return state.phase === 'stopping' ? end(state, graces) : unchanged(state)
    case 'inspected':
      return onInspected(state, event.frames)
    case 'kill-wait-over':
      return state.phase === 'killing'
        ? { state: { ...state, phase: 'condemned' }, effects: [{ type: 'condemn' }] }
        : unchanged(state)
    case 'stuck':
      return state.phase === 'starting' || state.phase === 'ended' ? kill(state) : unchanged(state)
    case 'over':
      return onOver(state, event.end)
  }
}

function unchanged(state: AttemptState): AttemptStep {
  return { state, effects: [] }
}

function isAtWork({ phase }: AttemptState): boolean {
  return phase === 'starting' || phase === 'running'
}

/** The thread was told to terminate and has not exited. */
function isDying({ phase }: AttemptState): boolean {
  return phase === 'killing' || phase === 'condemned'
}

/** The handler's own word. While its thread is being killed it is only kept: the decision falls at `over`. */
function onOutcome(state: AttemptState, outcome: HandlerOutcome): AttemptStep {
  if (state.phase === 'over' || state.phase === 'ended' || state.outcome !== null) return unchanged(state)
  if (isDying(state)) return { state: { ...state, outcome }, effects: [] }
  const settle: AttemptEffect[] = state.decided ? [] : [{ type: 'settle', verdict: verdictOf(outcome, state) }]
  return { state: { ...state, phase: 'ended', outcome, decided: true }, effects: [...settle, { type: 'arm-release' }] }
}

/** Time is up. A handler that was already asked to stop, for another reason, gets no second grace. */
function onDeadline(state: AttemptState, graces: Graces): AttemptStep {
  if (isAtWork(state)) return askToStop(state, 'timeout', graces.timeoutGraceMs, graces)
  return state.phase === 'stopping' && state.stop !== 'timeout' ? kill(state) : unchanged(state)
}

function askToStop(state: AttemptState, reason: StopReason, graceMs: number, graces: Graces): AttemptStep {
  const asked: AttemptEffect = { type: 'request-stop', reason }
  if (graceMs > 0)
    return { state: { ...state, phase: 'stopping', stop: reason }, effects: [asked, { type: 'arm-grace', ms: graceMs }] }
  const killed = end({ ...state, stop: reason }, graces)
  return { state: killed.state, effects: [asked, ...killed.effects] }
}

/** Someone else may hold the job now: the thread must go at once, and there is nothing left to settle. */
function onLeaseLost(state: AttemptState): AttemptStep {
  if (state.phase === 'over' || state.phase === 'ended' || state.decided) return unchanged(state)
  const lost: AttemptState = { ...state, stop: 'lease-lost', decided: true }
  if (isDying(state)) return { state: lost, effects: [] }
  const killed = kill(lost)
  return { state: killed.state, effects: [{ type: 'request-stop', reason: 'lease-lost' }, ...killed.effects] }
}

/** Ends the thread; where a timeout is the reason, its stack is read first: nothing else can say where it hung. */
function end(state: AttemptState, { inspects }: Graces): AttemptStep {
  if (!inspects || state.stop !== 'timeout') return kill(state)
  return { state: { ...state, phase: 'inspecting' }, effects: [{ type: 'inspect' }] }
}

/** A handler that ended while its stack was read is not killed any more: it was not hung. */
function onInspected(state: AttemptState, frames: readonly StackFrame[] | null | undefined): AttemptStep {
  if (state.phase !== 'inspecting') return unchanged(state)
  return kill(frames === undefined ? state : { ...state, frames })
}

function kill(state: AttemptState): AttemptStep {
  return { state: { ...state, phase: 'killing' }, effects: [{ type: 'terminate' }, { type: 'arm-kill-wait' }] }
}

/** The thread is free or gone: whatever is still undecided is decided now, and only now. */
function onOver(state: AttemptState, runEnd: RunEnd): AttemptStep {
  if (state.phase === 'over') return unchanged(state)
  const verdict = state.outcome === null ? verdictOfEnd(runEnd, state) : verdictOf(state.outcome, state)
  const settle: AttemptEffect[] = state.decided ? [] : [{ type: 'settle', verdict }]
  return { state: { ...state, phase: 'over', decided: true }, effects: [...settle, { type: 'finish' }] }
}

/** What a handler's word comes to: a return always counts, a throw after a stop was the stop's doing. */
function verdictOf(outcome: HandlerOutcome, { stop, frames }: AttemptState): Verdict {
  switch (outcome.type) {
    case 'returned':
      return { type: 'complete', outcome }
    case 'threw':
      return stop === null ? outcome : verdictOfStop(stop, outcome.error, frames)
    case 'snoozed':
      // Its own deliberate word, like a return: no stop made the handler say it, and only a cancel ends the job.
      return stop === 'cancel' ? { type: 'cancelled' } : outcome
    case 'discarded':
    case 'rejected':
      return { type: 'rejected', error: outcome.error }
    case 'unknown-kind':
      return { type: 'unknown-kind', error: outcome.error }
    case 'setup-failed':
      return stop === null ? { type: 'setup-failed', error: outcome.error } : verdictOfStop(stop, outcome.error, frames)
    case 'suspended':
      // As a return counts, so does a wait: only a cancel ends the job where it would go on later.
      return stop === 'cancel' ? { type: 'cancelled' } : { type: 'suspended', waits: outcome.waits }
    case 'skipped':
      return { type: 'skipped' }
    case 'bystander':
      return { type: 'interrupted' }
  }
}

/** The thread ended without a word of the handler. */
function verdictOfEnd(end: RunEnd, state: AttemptState): Verdict {
  if (state.stop !== null) return verdictOfStop(state.stop, null, state.frames)
  if (end.type === 'exited' && !end.terminated) return { type: 'thread-died', exitCode: end.exitCode, error: end.error }
  // Told to die without a reason to stop: the handler never began (or its thread was taken down with the pool).
  return { type: 'interrupted' }
}

function verdictOfStop(stop: StopReason, thrown: ErrorRecord | null, frames: AttemptState['frames']): Verdict {
  switch (stop) {
    case 'timeout':
      return frames === undefined ? { type: 'timed-out', cause: thrown } : { type: 'timed-out', cause: thrown, frames }
    case 'cancel':
      return { type: 'cancelled' }
    default:
      return { type: 'interrupted' }
  }
}
