/** `ctx.log`: pino's calls, as messages to the supervisor. A terminated thread loses its stdout, but not these. */
import { realClock } from '../../clock.ts'
import type { JobLog, LogWrite } from '../../job/context.ts'
import { encodeError } from '../error-codec.ts'
import { cutText, plainFields } from '../plain-data.ts'
import { type Desk, post } from './desk.ts'
import type { LiveRun } from './live-run.ts'

const clock = realClock()

/** The log of one run; levels below the desk's do nothing. */
export function makeLog(run: LiveRun, desk: Desk): JobLog {
  const at = (level: number) => writer(level, run, desk)
  return { trace: at(10), debug: at(20), info: at(30), warn: at(40), error: at(50), fatal: at(60) }
}

function nothing(): void {}

function writer(level: number, run: LiveRun, desk: Desk): LogWrite {
  if (level < desk.logLevel) return nothing
  return (first: unknown, second?: unknown) => {
    if (run.over) return
    const said =
      typeof first === 'object' && first !== null
        ? { fields: fieldsOf(first), text: second ?? messageOf(first) }
        : { fields: null, text: first }
    post(desk, {
      type: 'log',
      run: run.assignment.run,
      record: { level, message: cutText(String(said.text)), fields: said.fields, at: clock.wall() },
    })
  }
}

/** As pino does it: an Error stands under `err`. */
function fieldsOf(first: object): Record<string, unknown> | null {
  return first instanceof Error ? { err: encodeError(first) } : plainFields(first)
}

function messageOf(first: object): string {
  return first instanceof Error ? encodeError(first).message : ''
}
