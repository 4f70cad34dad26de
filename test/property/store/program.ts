/**
 * Random programs for two handles on one file. A program is abstract data (picks instead of ids), so that fast-check can
 * shrink it; the runner makes commands of it with what exists at that moment.
 */
import fc from 'fast-check'
import type { LocalLimit } from '../../../src/job/limits.ts'
import type { Settlement } from '../../../src/job/outcome.ts'
import type { StoredPayload } from '../../../src/job/payload.ts'
import { closeBreaker, type GateAction, gateAction, group, localLimits } from './program-gates.ts'
import { type SteerShape, steerShapes } from './program-steering.ts'
import { type TieShape, tieShapes } from './program-ties.ts'
import { type PruneShape, pruneShapes } from './pruning.ts'

/** Which of the leases so far: one that is current, or any, most of which are stale. */
export interface Pick {
  readonly current: boolean
  readonly index: number
}

/**
 * Whether programs have groups, pauses, limits and rates (`gated`), or little but ties between jobs (`tied`). Without them far more
 * of what they do takes effect.
 */
export type Gating = 'free' | 'gated' | 'tied'

/** A job to enqueue, its due time relative to now. */
export interface JobShape {
  readonly priority: number
  readonly delay: number
  readonly queue: string
  readonly group: string | null
  readonly kind: string
  readonly attemptsMax: number | null
  readonly timeoutMs: number | null
  readonly input: StoredPayload
  readonly backoff: { baseMs: number; maxMs: number; factor: number; jitter: number } | null
  /** Sends an id again that is there already. */
  readonly again: boolean
  readonly ties: TieShape | null
}

/** What is done to a key; `expects` is the version that a write is conditional on. */
export interface KeyValueShape {
  readonly type: 'get' | 'set' | 'delete' | 'list'
  readonly key: string
  readonly value: StoredPayload
  readonly expects: 'any' | 'there' | 'absent' | 'old'
}

/** A command before it is told of which job. */
export type Action =
  | { readonly type: 'steer'; readonly shape: SteerShape }
  | { readonly type: 'prune'; readonly shape: PruneShape }
  | { readonly type: 'enqueue'; readonly jobs: readonly JobShape[]; readonly depthMax: Readonly<Record<string, number>> | null }
  | {
      readonly type: 'claim'
      readonly limit: number
      readonly ahead: number
      readonly alone: boolean
      readonly queues: readonly string[] | null
      readonly queuesExcluded: readonly string[]
      readonly breakers: readonly string[]
      readonly groupMax: number | null
      readonly localLimits: readonly LocalLimit[]
    }
  | { readonly type: 'renew'; readonly picks: readonly Pick[] }
  | {
      readonly type: 'settle'
      readonly pick: Pick
      readonly settlement: Settlement
      readonly started: boolean
      readonly children: readonly JobShape[]
    }
  | { readonly type: 'progress'; readonly pick: Pick; readonly fraction: number | null; readonly note: string | null }
  | { readonly type: 'log'; readonly pick: Pick; readonly lines: readonly number[]; readonly keep: number }
  | { readonly type: 'cancel'; readonly index: number }
  | { readonly type: 'reclaim'; readonly crashesMax: number }
  | GateAction
  /** By the app in a kind's name, or (`kind` null) by a lease. */
  | { readonly type: 'key-value'; readonly pick: Pick; readonly kind: string | null; readonly operation: KeyValueShape }

/** One commit by one handle. The clock moves before it, back as well. */
export interface ProgramStep {
  readonly handle: 0 | 1
  readonly tick: number
  /** Runs the same list again, as after a commit whose outcome is unknown. */
  readonly repeat: boolean
  readonly actions: readonly Action[]
}

const error = fc.record({ name: fc.constant('Error'), message: fc.constantFrom('no', 'gone') })
const delay = fc.constantFrom(0, 0, 1, 50, 1_000)
const index = fc.nat(50)
const pick: fc.Arbitrary<Pick> = fc.record({ current: fc.boolean().map((stale) => !stale), index })
const payload: fc.Arbitrary<StoredPayload> = fc.constantFrom<StoredPayload>(
  null,
  '{"a":1}',
  '123',
  new Uint8Array([0, 255, 7]),
  JSON.stringify('x'.repeat(2_100)),
)

const jobs = (gating: Gating): fc.Arbitrary<JobShape> =>
  fc.record({
    priority: fc.constantFrom(0, 0, 0, 5, -5, 1_000_000),
    delay: fc.constantFrom(0, 0, 0, -10, 40, 500),
    queue: fc.constantFrom('default', 'mail'),
    group,
    kind: fc.constantFrom('resize', 'send'),
    attemptsMax: fc.constantFrom(null, null, 1, 2),
    timeoutMs: fc.constantFrom(null, 30_000, Number.POSITIVE_INFINITY),
    input: payload,
    backoff: fc.constantFrom(null, { baseMs: 10, maxMs: 100, factor: 2, jitter: 0.5 }),
    again: fc.constantFrom(false, false, false, false, true),
    ties: tieShapes(gating),
  })

const settlement: fc.Arbitrary<Settlement> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ type: fc.constant('complete' as const), result: payload }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('fail' as const), error, delayMs: delay }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('discard' as const), error }) },
  { weight: 1, arbitrary: fc.constant({ type: 'cancel' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'skip' as const }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('snooze' as const), delayMs: delay }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('snooze' as const), delayMs: delay, error }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('snooze' as const),
      delayMs: delay,
      block: fc.record({ scope: fc.constantFrom('queue' as const, 'group' as const), delayMs: fc.constantFrom(1, 40, 700) }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ type: 'interrupted' as const }) },
)

const enqueueActions = (gating: Gating) =>
  fc.record({
    type: fc.constant('enqueue' as const),
    jobs: fc.array(jobs(gating), { minLength: 1, maxLength: 4 }),
    depthMax: fc.constantFrom(null, null, null, { mail: 3 }),
  })
const settleActions = (gating: Gating) =>
  fc.record({
    type: fc.constant('settle' as const),
    pick,
    settlement,
    started: fc.boolean(),
    children: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(jobs(gating), { minLength: 1, maxLength: 2 }) },
    ),
  })
const claimAction = fc.record({
  type: fc.constant('claim' as const),
  limit: fc.integer({ min: 1, max: 4 }),
  ahead: fc.constantFrom(0, 0, 3),
  alone: fc.boolean(),
  queues: fc.constantFrom(null, null, ['mail'], ['default', 'mail']),
  queuesExcluded: fc.constantFrom([], [], ['mail']),
  breakers: fc.constant([]),
  groupMax: fc.constantFrom(null, null, null, 1, 2),
  localLimits,
})

const keyValueAction = fc.record({
  type: fc.constant('key-value' as const),
  pick,
  kind: fc.constantFrom(null, null, null, 'resize'),
  operation: fc.record({
    type: fc.constantFrom('set' as const, 'set' as const, 'set' as const, 'get' as const, 'delete' as const, 'list' as const),
    key: fc.constantFrom('a', 'ab', 'b', 'bé'),
    value: payload.map((value) => value ?? 'null'),
    expects: fc.constantFrom('any' as const, 'there' as const, 'there' as const, 'absent' as const, 'old' as const),
  }),
})

/** What most ties depend on. */
const tiedAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: enqueueActions('tied') },
  { weight: 6, arbitrary: claimAction },
  { weight: 7, arbitrary: settleActions('tied') },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('cancel' as const), index }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('steer' as const), shape: steerShapes(payload) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reclaim' as const), crashesMax: fc.constantFrom(1, 2) }) },
)

const actions = (gating: Gating) => [
  { weight: 4, arbitrary: enqueueActions(gating) },
  { weight: 6, arbitrary: claimAction },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('renew' as const), picks: fc.array(pick, { minLength: 1, maxLength: 3 }) }),
  },
  { weight: 8, arbitrary: settleActions(gating) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('progress' as const),
      pick,
      fraction: fc.constantFrom(null, 0, 0.5, 1),
      note: fc.constantFrom(null, 'half'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('log' as const),
      pick,
      lines: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
      keep: fc.constantFrom(2, 5, 100),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('cancel' as const), index }) },
  { weight: 3, arbitrary: keyValueAction },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('steer' as const), shape: steerShapes(payload) }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('prune' as const), shape: pruneShapes }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('reclaim' as const), crashesMax: fc.constantFrom(1, 2) }) },
]

/** The kinds whose breakers a claim heeds. */
const breakers = fc.constantFrom<readonly string[]>([], ['send'], ['send', 'resize'], ['send', 'resize'])

const actionOf: Readonly<Record<Gating, fc.Arbitrary<Action>>> = {
  free: fc.oneof(...actions('free')).map(freed),
  gated: fc.oneof(
    { weight: 4, arbitrary: enqueueActions('gated') },
    { weight: 8, arbitrary: fc.tuple(claimAction, breakers).map(heeding) },
    { weight: 6, arbitrary: settleActions('gated') },
    { weight: 5, arbitrary: gateAction },
    { weight: 4, arbitrary: fc.oneof(...actions('gated')) },
    { weight: 1, arbitrary: closeBreaker },
  ),
  tied: tiedAction.map(freed),
}

function heeding([action, breakers]: readonly [Action, readonly string[]]): Action {
  return action.type === 'claim' ? { ...action, breakers } : action
}

function freed(action: Action): Action {
  const ungrouped = (shapes: readonly JobShape[]) => shapes.map((shape) => ({ ...shape, group: null }))
  if (action.type === 'enqueue') return { ...action, jobs: ungrouped(action.jobs) }
  if (action.type === 'claim') return { ...action, breakers: [], groupMax: null, localLimits: [] }
  if (action.type !== 'settle') return action
  const children = ungrouped(action.children)
  if (action.settlement.type !== 'snooze') return { ...action, children }
  const { block: _, ...settlement } = action.settlement
  return { ...action, settlement, children }
}

/** Mostly one command a commit, for then every invariant of one transition can be held against it. */
const mixed = (each: fc.Arbitrary<Action>) =>
  fc.oneof({ weight: 4, arbitrary: fc.tuple(each) }, { weight: 1, arbitrary: fc.array(each, { minLength: 2, maxLength: 5 }) })

/**
 * Programs of up to some forty commits, each of one command, or (`mixed`) now and then of several. All begin with jobs to work on.
 * Those that are `tied` do little else than what ties depend on.
 */
export function programs(commits: 'single' | 'mixed', gating: Gating): fc.Arbitrary<readonly ProgramStep[]> {
  const action = actionOf[gating]
  const step = fc.record({
    handle: fc.constantFrom(0 as const, 1 as const),
    tick: gating !== 'gated' ? fc.constantFrom(0, 1, 1, 30, 30, 600, -20) : fc.constantFrom(0, 1, 1, 1, 30, 30, 600, -20, -3_000),
    repeat: fc.constantFrom(false, false, false, true),
    actions: commits === 'single' ? fc.tuple(action) : mixed(action),
  })
  const first = enqueueActions(gating)
  return fc
    .tuple(gating === 'gated' ? first : first.map(freed), fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }))
    .map(([first, steps]) => [{ handle: 0, tick: 0, repeat: false, actions: [first] }, ...steps])
}
