/**
 * The child processes of this runtime, on record in the database; and those of a dead one, which are ended before its jobs
 * are taken back: a child that is still in native code would run its job beside the next attempt.
 */
import type { ServiceLogger } from '../actors/service-logger.ts'
import type { Clock } from '../clock.ts'
import type { OwnerId } from '../job/lease.ts'
import type { ChildRecord } from '../persistence/child-record.ts'
import type { ChildRegister } from '../threads/child-register.ts'
import { killOrphan } from '../threads/process-group.ts'

/** Records the children of `owner`. A record that cannot be removed is harmless: its process is found to be gone. */
export function registerOf(children: ChildRecord, owner: OwnerId): ChildRegister {
  return {
    childStarted: (child) => children.started(owner, child),
    childEnded: (pid) => void children.ended(owner, pid).catch(() => undefined),
  }
}

/**
 * Ends what a dead owner left. False where a process may still live that the system could tell us of: then its jobs are
 * not to be taken yet. Where the system tells nothing, the child's own watch over its parent has to do.
 */
export async function endOrphans(children: ChildRecord, owner: OwnerId, clock: Clock, logger: ServiceLogger): Promise<boolean> {
  let allGone = true
  for (const child of await children.of(owner)) {
    const end = await killOrphan(child, clock)
    if (end === 'killed') logger.warn({ owner, pid: child.pid }, 'ended a child process that a dead supervisor had left')
    if (end === 'unknown' && child.startTime !== null) allGone = false
  }
  return allGone
}
