/** Watching processes that are nobody's children here. Linux only. */
import { setTimeout } from 'node:timers/promises'
import { startTimeOf } from '../../../src/threads/process-group.ts'

/** Whether a process is there; one that is dead and only not reaped yet is not. */
export function isAlive(pid: number): boolean {
  return startTimeOf(pid) !== null
}

/** Resolves once a process is gone. */
export async function gone(pid: number): Promise<void> {
  // The system tells nobody but the parent when a process ends, so this can only look again.
  while (isAlive(pid)) await setTimeout(5)
}

/** The ids of the processes whose parent is `pid`. */
export async function childrenOf(pid: number): Promise<number[]> {
  const { readdir, readFile } = await import('node:fs/promises')
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const parents = await Promise.all(
    ids.map(async (id) => {
      const stat = await readFile(`/proc/${id}/stat`, 'latin1').catch(() => '')
      return { id: Number(id), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) }
    }),
  )
  return parents.filter(({ parent }) => parent === pid).map(({ id }) => id)
}
