/** What a process of a chaos run is started with, and how it may end by itself. */
import type { Durability } from '../../../src/index.ts'

/** What a process does: everything, work only, enqueue only, or bring what is left to its end. */
export type Role = 'both' | 'worker' | 'client' | 'finisher'

/** What it is started with. */
export interface AppOptions {
  readonly database: string
  readonly history: string
  /** Unique in the run. */
  readonly name: string
  readonly role: Role
  readonly seed: number
  readonly durability: Durability
}

/** Exit codes that a fault of the run may lead to: the supervisor died too often; the runtime could not be opened. */
export const exitCodes = { gaveUp: 3, notStarted: 4 } as const
