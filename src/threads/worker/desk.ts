/** What one worker works with: its way to the supervisor, its kinds, and the run that it has at hand. */
import type { AnyJobDefinition } from '../../job/definition.ts'
import type { FailedFile } from '../../job/loaded-jobs.ts'
import type { Cells } from '../cells.ts'
import type { AnsweredMessage, HandlerOutcome, HelloSettings, StopMessage, WorkerMessage } from '../protocol.ts'
import type { LiveRun } from './live-run.ts'
import type { Questions } from './questions.ts'
import { Resources } from './resources.ts'

/** How a worker is tied to the supervisor: a thread by its port, a child process by its channel. */
export interface Line {
  post(message: WorkerMessage): void
  /** Shared with the supervisor on a thread. In a child process they are its own, and the start is told by a message. */
  readonly cells: Cells
  readonly cellsAreShared: boolean
}

/** The state of a worker. There is one for the life of the thread or child process. */
export interface Desk {
  readonly line: Line
  readonly cells: Cells
  readonly payloadBytesMax: number
  /** Log records below this level are not sent. */
  readonly logLevel: number
  kinds: Readonly<Record<string, AnyJobDefinition>>
  /** The files of kinds that are not here though they should be. */
  failed: readonly FailedFile[]
  /** The run whose handler is at work. */
  active: LiveRun | null
  /** The run that was at work last, or is: an error that names no run is laid at its door. */
  latest: LiveRun | null
  /** By the number of the run: its questions, until the last one is answered. */
  readonly questions: Map<number, Questions>
  /** What kinds have set up here. */
  readonly resources: Resources
  /** The run whose kind is being set up: an uncaught error is laid to that. */
  settingUp: LiveRun | null
}

/** Sets up the desk of a worker. */
export function openDesk(settings: HelloSettings, line: Line): Desk {
  const { payloadBytesMax, logLevel, setupMaxMs } = settings
  return {
    line,
    cells: line.cells,
    payloadBytesMax,
    logLevel,
    kinds: {},
    failed: [],
    active: null,
    latest: null,
    settingUp: null,
    questions: new Map(),
    resources: new Resources(setupMaxMs),
  }
}

/** Sends a message to the supervisor. */
export function post(desk: Desk, message: WorkerMessage): void {
  desk.line.post(message)
}

/** Passes on a request to stop, if its run is still at work. */
export function hearStop(desk: Desk, { run, reason }: StopMessage): void {
  if (desk.active?.assignment.run === run) desk.active.stop(reason)
}

/** Passes on the answer to a question. */
export function hearAnswer(desk: Desk, { run, question, answer }: AnsweredMessage): void {
  const questions = desk.questions.get(run)
  questions?.answered(question, answer)
  if (desk.active?.assignment.run === run) desk.active.steps?.answered()
  if (questions?.isOpen === false && desk.active?.assignment.run !== run) desk.questions.delete(run)
}

/** Marks that the handler of a run starts now. */
export function stampStart(desk: Desk, run: number): void {
  desk.cells.stampStart(run)
  if (!desk.line.cellsAreShared) post(desk, { type: 'started', run })
}

/**
 * Ends a run with its outcome. From here on its context is dead, and only the first outcome of a run counts:
 * invariant `no-word-from-the-dead`. `isLeaving`: the worker ends itself next, and must not be given another run.
 */
export function conclude(desk: Desk, run: LiveRun, outcome: HandlerOutcome, isLeaving = false): void {
  if (run.over) return
  run.end()
  if (desk.active === run) desk.active = null
  const questions = desk.questions.get(run.assignment.run)
  questions?.flush()
  if (questions?.isOpen === false) desk.questions.delete(run.assignment.run)
  post(desk, { type: 'outcome', run: run.assignment.run, outcome, ...(isLeaving && { isLeaving }) })
}
