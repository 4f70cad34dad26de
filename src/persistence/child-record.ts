/** The seam to whatever remembers the child processes of supervisors, so that they can be ended after their parent's death. */
import type { OwnerId } from '../job/lease.ts'

/** A process, told apart from any later one with the same id; `startTime` is null where the system does not say. */
export interface RecordedChild {
  readonly pid: number
  readonly startTime: string | null
}

/** Who has which child processes. What is recorded of an owner goes when the owner is forgotten. */
export interface ChildRecord {
  /** Resolves once it is committed; only then may the child get a job. */
  started(owner: OwnerId, child: RecordedChild): Promise<void>
  ended(owner: OwnerId, pid: number): Promise<void>
  of(owner: OwnerId): Promise<readonly RecordedChild[]>
}
