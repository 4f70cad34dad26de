/** What is over and need not be kept: random rules, the model of a prune, and what must hold of one. */
import fc from 'fast-check'
import { type RetentionBound, ruleOf } from '../../../src/job/retention.ts'
import { isTerminal, type TerminalState } from '../../../src/job/state.ts'
import type { Command } from '../../../src/persistence/commands/command.ts'
import type { PruneAnswer, PruneCommand } from '../../../src/persistence/commands/prune.ts'
import type { JobRow } from '../../../src/persistence/job-row.ts'
import type { Model } from './model.ts'

/** What a prune did to the rows. */
export interface PruneStep {
  readonly command: Command
  readonly before: readonly JobRow[]
  readonly after: readonly JobRow[]
}

/** A prune of one state. */
export interface PruneShape {
  readonly state: TerminalState
  readonly bounds: readonly RetentionBound[]
}

const bound: fc.Arbitrary<RetentionBound> = fc.record({
  states: fc.constantFrom<readonly TerminalState[] | null>(null, null, ['completed'], ['cancelled', 'discarded']),
  kinds: fc.constantFrom(null, null, ['resize']),
  queues: fc.constantFrom(null, null, ['mail']),
  maxAgeMs: fc.constantFrom(null, 0, 1, 31, 31, 31),
  maxCount: fc.constantFrom(null, null, 0, 1),
})

/** Prunes of random programs. */
export const pruneShapes: fc.Arbitrary<PruneShape> = fc.record({
  state: fc.constantFrom<TerminalState>('completed', 'cancelled', 'discarded'),
  bounds: fc.array(bound, { minLength: 1, maxLength: 3 }),
})

/** The model has so few jobs that a slice looks at all of them. */
export function runPrune(model: Model, { state, bounds, now, operation }: PruneCommand, repeated: boolean): PruneAnswer {
  const counts = answered.get(model) ?? new Map<string, number>()
  answered.set(model, counts)
  const before = repeated ? counts.get(operation) : undefined
  if (before !== undefined) return { type: 'pruned', count: before, next: null }
  const over = model.filter((job) => job.state === state).toReversed()
  const newestFirst = over.toSorted((a, b) => (b.settledAt ?? 0) - (a.settledAt ?? 0))
  const guards = ({ holdsKey, keyUntil }: Model[number]) => holdsKey && keyUntil !== null && keyUntil > now
  const gone = newestFirst.filter((job) => !isKept(job, newestFirst, bounds, now) && !guards(job))
  for (const job of gone) model.splice(model.indexOf(job), 1)
  counts.set(operation, gone.length)
  return { type: 'pruned', count: gone.length, next: null }
}

const answered = new WeakMap<Model, Map<string, number>>()

/** Whether the rule of a job keeps it, among all jobs of its state, the latest first. */
function isKept(job: JobRow, newestFirst: readonly JobRow[], bounds: readonly RetentionBound[], now: number): boolean {
  const ruleFor = ({ state, kind, queue }: JobRow) => (isTerminal(state) ? ruleOf({ state, kind, queue }, bounds) : -1)
  const rule = ruleFor(job)
  const { maxAgeMs = null, maxCount = null } = bounds[rule] ?? {}
  const rank = newestFirst.filter((other) => ruleFor(other) === rule).indexOf(job) + 1
  const isOld = maxAgeMs !== null && (job.settledAt ?? Number.POSITIVE_INFINITY) + maxAgeMs <= now
  return !isOld && (maxCount === null || rank <= maxCount)
}

/** The jobs that a prune took. */
export function prunedBy({ command, before, after }: PruneStep): readonly JobRow[] {
  if (command.type !== 'prune') return []
  const left = new Set(after.map(({ id }) => id))
  return before.filter(({ id }) => !left.has(id))
}

/** Whether all that a prune took was over, and past its rule. */
export function pruneIsSafe(step: PruneStep): boolean {
  const { command, before } = step
  if (command.type !== 'prune') return true
  const over = before.filter(({ state }) => state === command.state).toReversed()
  const newestFirst = over.toSorted((a, b) => (b.settledAt ?? 0) - (a.settledAt ?? 0))
  return prunedBy(step).every((job) => isTerminal(job.state) && !isKept(job, newestFirst, command.bounds, command.now))
}
