/** What one worker thread works with: its port and cells, its kinds, and the run that it has at hand. */
import type { MessagePort } from 'node:worker_threads'
import type { AnyJobDefinition } from '../../job/definition.ts'
import { Cells } from '../cells.ts'
import type { HandlerOutcome, HelloTask, StopMessage, WorkerMessage } from '../protocol.ts'
import type { LiveRun } from './live-run.ts'

/** The state of a worker thread. There is one for the life of the thread. */
export interface Desk {
  readonly port: MessagePort
  readonly cells: Cells
  readonly payloadBytesMax: number
  /** Log records below this level are not sent. */
  readonly logLevel: number
  kinds: Readonly<Record<string, AnyJobDefinition>>
  /** The run whose handler is at work. */
  active: LiveRun | null
  /** The run that was at work last, or is: an error that names no run is laid at its door. */
  latest: LiveRun | null
}

/** Takes over the thread's port; from here on stop messages are heard. */
export function openDesk(hello: HelloTask): Desk {
  const desk: Desk = {
    port: hello.port,
    cells: new Cells(hello.cells),
    payloadBytesMax: hello.payloadBytesMax,
    logLevel: hello.logLevel,
    kinds: {},
    active: null,
    latest: null,
  }
  hello.port.on('message', (message: StopMessage) => {
    if (desk.active?.assignment.run === message.run) desk.active.stop(message.reason)
  })
  return desk
}

/** Sends a message to the supervisor. */
export function post(desk: Desk, message: WorkerMessage): void {
  desk.port.postMessage(message)
}

/**
 * Ends a run with its outcome. From here on its context is dead, and only the first outcome of a run counts:
 * invariant `no-word-from-the-dead`.
 */
export function conclude(desk: Desk, run: LiveRun, outcome: HandlerOutcome): void {
  if (run.over) return
  run.over = true
  if (desk.active === run) desk.active = null
  post(desk, { type: 'outcome', run: run.assignment.run, outcome })
}
