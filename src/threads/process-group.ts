/**
 * Ending other processes for certain: a whole process group at a time, and never a stranger that got a dead one's id.
 * On Windows there are no process groups: only the process itself is ended.
 */
import { readFileSync } from 'node:fs'
import type { Clock } from '../clock.ts'
import type { ChildProcessName } from './child-register.ts'

const lookEveryMs = 10

/** Sends SIGKILL to the group that `pid` leads. Does nothing where nobody is left of it. */
export function killGroup(pid: number): void {
  // 0 and -1 would be ourselves and everybody.
  if (!Number.isInteger(pid) || pid <= 1) throw new Error(`No process group has the id ${pid}.`)
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // Nobody is left.
  }
}

/**
 * When a process started, as text that no other process with this id ever has; null where it is gone (a zombie
 * counts as gone), and wherever the system has no `/proc`.
 */
export function startTimeOf(pid: number): string | null {
  const stat = readProc(`${pid}/stat`)
  // The name stands in parentheses and may hold any character; what follows the last one is safe to split.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  const ticks = fields[18]
  if (ticks === undefined || state === 'Z' || state === 'X') return null
  return `${readProc('sys/kernel/random/boot_id')?.trim() ?? ''}:${ticks}`
}

/**
 * Ends what a dead supervisor left: sends SIGKILL to the child's group once it is sure that the process is the one
 * that was recorded, and waits until it is gone. `gone`: it was not there any more. `unknown`: it may live; there is no
 * `/proc` to tell by, no start time was recorded, it is not ours to end, or it did not end within `waitMs`.
 *
 * @example
 * ```ts
 * if ((await killOrphan(child, clock)) !== 'unknown') reclaimJobs()
 * ```
 */
export async function killOrphan(
  { pid, startTime }: ChildProcessName,
  clock: Pick<Clock, 'after' | 'mono'>,
  waitMs = 5_000,
): Promise<'gone' | 'killed' | 'unknown'> {
  if (startTime === null || readProc('self/stat') === null) return 'unknown'
  if (startTimeOf(pid) !== startTime) return 'gone'
  const until = clock.mono() + waitMs
  killGroup(pid)
  while (startTimeOf(pid) === startTime) {
    if (clock.mono() >= until) return 'unknown'
    await new Promise<void>((resolve) => clock.after(lookEveryMs, resolve))
  }
  return 'killed'
}

function readProc(path: string): string | null {
  try {
    return readFileSync(`/proc/${path}`, 'latin1')
  } catch {
    return null
  }
}
