/**
 * Threads that run handlers give way to the app's thread and the supervisor's, so that a machine whose every core works
 * on jobs still answers its user. On Linux a thread has a niceness of its own; elsewhere it is the process's, which is
 * not ours to change.
 */
import { setPriority } from 'node:os'

/** Lowers the priority of this thread; what it starts inherits it. Does nothing where threads have none of their own. */
export function giveWay(niceness: number): void {
  if (process.platform === 'linux' && niceness > 0) setPriority(niceness)
}
