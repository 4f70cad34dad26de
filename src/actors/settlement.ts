/** From the verdict on an attempt to what the store is told: errors in words, and the wait before a retry. Pure. */
import ms from 'ms'
import type { ErrorCode } from '../errors.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import type { Settlement } from '../job/outcome.ts'
import { type Backoff, retryDelayMs } from '../job/retry-policy.ts'
import { placeOf, type StackFrame, stackText } from '../job/stack-frame.ts'
import type { Random } from '../random.ts'
import type { Verdict } from './attempt-state.ts'

/** How long a job of an unknown kind waits before it is looked at again. */
export const unknownKindDelayMs = 30_000

/** How long a job waits whose kind's resource could not be made. */
const setupFailedDelayMs = 5_000

/** What of an attempt its settlement depends on. */
export interface AttemptFacts {
  readonly jobId: string
  readonly kind: string
  readonly attempt: number
  readonly timeoutMs: number
  readonly backoff: Backoff
  /** The last log lines, oldest first; they go with the error of a killed attempt. */
  readonly logTail: readonly string[]
}

/** Builds the settlement of an attempt. */
export function settlementOf(verdict: Verdict, facts: AttemptFacts, random: Pick<Random, 'next'>): Settlement {
  switch (verdict.type) {
    case 'complete':
      return { ...verdict.outcome, type: 'complete' }
    case 'threw':
      return thrown(verdict, facts, random)
    case 'snoozed':
      return { ...verdict, type: 'snooze' }
    case 'timed-out':
      return failure(timeoutError(facts, verdict.cause, verdict.frames), facts, random)
    case 'thread-died':
      return failure(withTail(verdict.error ?? exitError(facts, verdict.exitCode), facts), facts, random)
    case 'rejected':
      return { type: 'discard', error: verdict.error }
    case 'unknown-kind':
      return { type: 'snooze', delayMs: unknownKindDelayMs, error: verdict.error }
    case 'setup-failed':
      return { type: 'snooze', delayMs: setupFailedDelayMs, error: verdict.error }
    case 'suspended':
      return { type: 'suspend', waits: verdict.waits }
    case 'cancelled':
      return { type: 'cancel' }
    case 'skipped':
      return { type: 'skip' }
    case 'interrupted':
      return { type: 'interrupted' }
  }
}

/** What the kind's own functions said goes before its backoff. */
function thrown(
  { error, retry }: Extract<Verdict, { type: 'threw' }>,
  facts: AttemptFacts,
  random: Pick<Random, 'next'>,
): Settlement {
  if (retry === 'never') return { type: 'discard', error }
  return retry === undefined ? failure(error, facts, random) : { type: 'fail', error, delayMs: retry.delayMs }
}

function failure(error: ErrorRecord, facts: AttemptFacts, random: Pick<Random, 'next'>): Settlement {
  return { type: 'fail', error, delayMs: retryDelayMs(facts.attempt, facts.backoff, random) }
}

/** "… in innerLoop (decoder.ts:212)": the stack of the handler stands for the stack of the error. */
function timeoutError(
  facts: AttemptFacts,
  cause: ErrorRecord | null,
  frames: readonly StackFrame[] | null | undefined,
): ErrorRecord {
  const message = `Attempt ${facts.attempt} of job ${facts.jobId} (${facts.kind}) ran past its timeout of ${ms(facts.timeoutMs)}${whereOf(frames)} and was stopped; raise the kind's timeout, or make the handler faster.`
  const record = withTail(reeveRecord('REEVE_ATTEMPT_TIMED_OUT', message, cause), facts)
  return frames == null ? record : { ...record, stack: `ReeveError: ${message}\n${stackText(frames)}` }
}

function whereOf(frames: readonly StackFrame[] | null | undefined): string {
  if (frames === undefined) return ''
  const place = frames === null ? null : placeOf(frames)
  return place === null ? ' in native code' : ` in ${place}`
}

function exitError(facts: AttemptFacts, exitCode: number): ErrorRecord {
  const message = `The thread of attempt ${facts.attempt} of job ${facts.jobId} (${facts.kind}) ended with exit code ${exitCode} while the handler ran; a handler must not call process.exit().`
  return reeveRecord('REEVE_THREAD_EXITED', message, null)
}

function reeveRecord(code: ErrorCode, message: string, cause: ErrorRecord | null): ErrorRecord {
  return cause === null ? { name: 'ReeveError', message, code } : { name: 'ReeveError', message, code, cause }
}

function withTail(error: ErrorRecord, { logTail }: AttemptFacts): ErrorRecord {
  return logTail.length === 0 ? error : { ...error, logTail }
}
