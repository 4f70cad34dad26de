/**
 * One run, as a pipeline: set up the kind, stamp the start, decode, validate, run, encode, conclude. Whatever is thrown on the way
 * becomes an outcome.
 */
import { type ErrorCode, ReeveError } from '../../errors.ts'
import type { JobContext } from '../../job/context.ts'
import type { AnyJobDefinition } from '../../job/definition.ts'
import { checkInput } from '../../job/input-schema.ts'
import { decodePayload, encodePayload } from '../../job/payload.ts'
import { encodeError } from '../error-codec.ts'
import type { Assignment, HandlerOutcome } from '../protocol.ts'
import { makeContext } from './context.ts'
import { conclude, type Desk, stampStart } from './desk.ts'
import { LiveRun, runContext } from './live-run.ts'
import { endTransaction, needsOf, provisionsOf } from './needs.ts'
import { retryWordOf } from './retry-answer.ts'
import { setUp } from './set-up.ts'

/** Runs one assignment; resolves once its outcome was posted. Never rejects. */
export async function execute(assignment: Assignment, desk: Desk): Promise<void> {
  const run = new LiveRun(assignment, desk.cells)
  desk.active = run
  desk.latest = run
  const definition = Object.hasOwn(desk.kinds, assignment.kind) ? desk.kinds[assignment.kind] : undefined
  for (const need of definition === undefined ? [] : needsOf(definition))
    if (!desk.resources.has(need) && !(await setUp(run, need, desk))) return
  // Before all else: the timeout's clock bounds the decoding and the validator too.
  stampStart(desk, assignment.run)
  if (definition === undefined) return conclude(desk, run, unknownKind(assignment, desk))
  let outcome: HandlerOutcome
  try {
    // A handler that waits (`ctx.step.sleep`) never comes to its end: its run does.
    outcome = await Promise.race([runContext.run(run, perform, run, definition, desk), run.suspension.promise])
  } catch (thrown) {
    outcome = run.asked ?? (await threw(thrown, run, definition, desk))
  }
  const open = endTransaction(definition, desk, assignment.kind)
  if (open !== null && (outcome.type === 'returned' || outcome.type === 'suspended'))
    outcome = { type: 'threw', error: encodeError(open) }
  conclude(desk, run, outcome)
}

async function perform(run: LiveRun, definition: AnyJobDefinition, desk: Desk): Promise<HandlerOutcome> {
  const { assignment } = run
  let input: unknown
  try {
    input = decodePayload(assignment.input)
  } catch (cause) {
    return rejected(assignment, 'REEVE_PAYLOAD_UNREADABLE', 'The stored input cannot be decoded', cause)
  }
  if (definition.schema !== undefined) {
    const checked = await checkInput(definition.schema, input)
    if (!checked.valid)
      return rejected(assignment, 'REEVE_INPUT_INVALID', `The input does not match the schema: ${checked.complaint}`)
    input = checked.value
  }
  const ctx = makeContext(run, desk, provisionsOf(definition, desk))
  const { shouldSkip } = definition.options
  if (shouldSkip !== undefined && ctx.run.scheduledAt !== null && (await shouldSkip(ctx.run)) === true) return { type: 'skipped' }
  const handler = definition.run as (input: unknown, ctx: JobContext<unknown, unknown, unknown>) => unknown
  const result = await handler(input, ctx)
  if (run.asked !== null) return run.asked
  run.steps?.returned()
  return returned(result, run, desk.payloadBytesMax)
}

async function threw(thrown: unknown, run: LiveRun, definition: AnyJobDefinition, desk: Desk): Promise<HandlerOutcome> {
  const error = encodeError(thrown)
  const retry = await runContext.run(run, retryWordOf, thrown, run, definition, desk)
  return { type: 'threw', error, ...(retry !== undefined && { retry }) }
}

/** A result that cannot be stored ends the job: another attempt would do its work again and end the same way. */
function returned(result: unknown, { assignment, children }: LiveRun, bytesMax: number): HandlerOutcome {
  try {
    return { type: 'returned', result: encodePayload(result, bytesMax), ...(children.length > 0 && { children }) }
  } catch (cause) {
    const tooLarge = cause instanceof ReeveError && cause.code === 'REEVE_PAYLOAD_TOO_LARGE'
    return tooLarge
      ? rejected(assignment, 'REEVE_PAYLOAD_TOO_LARGE', 'The handler ran to its end, but its result is too large', cause)
      : rejected(assignment, 'REEVE_RESULT_UNCLONEABLE', 'The handler ran to its end, but its result cannot be stored', cause)
  }
}

function rejected(assignment: Assignment, code: ErrorCode, message: string, cause?: unknown): HandlerOutcome {
  const { jobId, kind, attempt } = assignment
  const why = cause === undefined ? '' : `: ${encodeError(cause).message}`
  return { type: 'rejected', error: encodeError(new ReeveError(code, `${message}${why}`, { jobId, kind, attempt, cause })) }
}

function unknownKind({ jobId, kind, attempt }: Assignment, desk: Desk): HandlerOutcome {
  const failed = desk.failed.find((file) => file.kind === kind)
  if (failed !== undefined) return { type: 'unknown-kind', error: failed.error }
  const known = Object.keys(desk.kinds)
  const message = `The jobs module has no kind '${kind}'; it has ${known.length === 0 ? 'none' : known.slice(0, 20).join(', ')}.`
  return { type: 'unknown-kind', error: encodeError(new ReeveError('REEVE_KIND_UNKNOWN', message, { jobId, kind, attempt })) }
}
