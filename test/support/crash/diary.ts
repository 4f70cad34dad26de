/**
 * The side file of a crash test: what the app was promised and what handlers really did, one JSON line each, written
 * at once by `appendFileSync`, so that a SIGKILL a moment later loses none of it.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { threadId } from 'node:worker_threads'

/** One line. Times are monotonic milliseconds, on one base for all processes of a machine. */
export type DiaryLine =
  /** An enqueue was acknowledged. */
  | { readonly what: 'acknowledged'; readonly id: string; readonly kind: string }
  | {
      readonly what: 'start' | 'end'
      readonly id: string
      readonly kind: string
      readonly attempt: number
      readonly pid: number
      readonly threadId: number
      readonly at: number
    }
  /** An enqueue was refused for certain: nothing was stored. */
  | { readonly what: 'refused'; readonly id: string }
  /** A settle was acknowledged. */
  | { readonly what: 'settled'; readonly id: string; readonly state: string; readonly token: number }
  /** The moment just before a process was killed. */
  | { readonly what: 'kill'; readonly pid: number; readonly at: number }

/** Monotonic milliseconds since the machine started. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Appends lines in one write. */
export function write<Line = DiaryLine>(file: string, ...lines: readonly Line[]): void {
  appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

/** Writes that the body of an attempt began or came to its end. */
export function writeBody(
  file: string,
  what: 'start' | 'end',
  { job, attempt }: { readonly job: { readonly id: string; readonly kind: string }; readonly attempt: number },
): void {
  write(file, { what, id: job.id, kind: job.kind, attempt, pid: process.pid, threadId, at: now() })
}

/** All lines so far. */
export function readDiary<Line = DiaryLine>(file: string): readonly Line[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}
