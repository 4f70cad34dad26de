/** What a run does, drawn by fast-check: what clients ask for, what goes wrong, and how far things go in between. */
import fc from 'fast-check'
import { isTerminal } from '../../../src/job/state.ts'
import { scripts } from '../../support/sim/handlers.ts'
import type { Rig } from '../../support/sim/rig.ts'
import { type SimOwner, simConfig } from '../../support/sim/sim-owner.ts'
import type { CommitFault } from '../../support/sim/sim-store.ts'
import { World } from '../../support/sim/world.ts'
import type { Wrong } from '../../support/sim/wrong.ts'
import { judgeEnd, judgeRest } from './invariants/quiescent.ts'
import { Invariants } from './judge.ts'

/** One step. `owner` and `job` are taken modulo what there is; an odd `job` is one that runs, if any does. */
export type Step =
  | { readonly type: 'release'; readonly count: number }
  | { readonly type: 'rest' }
  | { readonly type: 'advance'; readonly ms: number }
  | { readonly type: 'next-timer' }
  | { readonly type: 'enqueue'; readonly owner: number; readonly kinds: readonly string[]; readonly delayMs: number }
  | { readonly type: 'cancel'; readonly owner: number; readonly job: number }
  | { readonly type: 'drain'; readonly owner: number; readonly timeoutMs: number }
  | { readonly type: 'interrupt'; readonly owner: number }
  | { readonly type: 'reload'; readonly owner: number }
  | { readonly type: 'start' }
  | { readonly type: 'die'; readonly owner: number }
  | { readonly type: 'jump-wall'; readonly ms: number }
  | { readonly type: 'fault'; readonly fault: CommitFault }

const owner = fc.nat(2)
const kinds = fc.array(fc.constantFrom(...Object.keys(scripts)), { minLength: 1, maxLength: 3 })
const faults = fc.constantFrom<CommitFault[]>('busy', 'unknown-lost', 'unknown-done')

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('release' as const), count: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 1, arbitrary: fc.constant({ type: 'rest' as const }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 300 }) }) },
  { weight: 3, arbitrary: fc.constant({ type: 'next-timer' as const }) },
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant('enqueue' as const), owner, kinds, delayMs: fc.constantFrom(0, 0, 0, 40) }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('cancel' as const), owner, job: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('drain' as const), owner, timeoutMs: fc.constantFrom(0, 30, 300) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('interrupt' as const), owner }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reload' as const), owner }) },
  { weight: 1, arbitrary: fc.constant({ type: 'start' as const }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('die' as const), owner }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('jump-wall' as const), ms: fc.integer({ min: -20_000, max: 20_000 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('fault' as const), fault: faults }) },
)

/** A whole plan. */
export const plans: fc.Arbitrary<readonly Step[]> = fc.array(step, { minLength: 8, maxLength: 60, size: 'max' })

const ownersMax = 3

/** Plays a plan, then lets faults stop, lets everything come to its end, and closes; throws what was broken first. */
export async function play(
  rig: Rig,
  scheduler: fc.Scheduler,
  plan: readonly Step[],
  options: { readonly wrong?: Wrong; readonly reached?: Map<string, number> } = {},
): Promise<void> {
  const world = new World(rig, scheduler, new Invariants(), options)
  world.startOwner()
  await world.releaseAll()
  for (const next of plan) await perform(world, next)
  world.faults.length = 0
  await comeToAnEnd(world)
}

async function perform(world: World, step: Step): Promise<void> {
  const owners = world.owners.filter(({ state }) => state === 'up')
  const owner = 'owner' in step ? owners[step.owner % Math.max(owners.length, 1)] : undefined
  switch (step.type) {
    case 'release':
      return world.release(step.count)
    case 'rest':
      await world.releaseAll()
      return judgeRest(world, null)
    case 'advance':
      return world.time.advance(step.ms)
    case 'next-timer':
      return world.time.advance(world.time.untilNext() ?? 0)
    case 'jump-wall':
      return world.time.jumpWall(step.ms)
    case 'fault':
      return void world.faults.push(step.fault)
    case 'start':
      return void (world.owners.length < ownersMax && world.startOwner())
    default:
      if (owner !== undefined) ask(world, owner, step)
  }
}

/** What a client asks of a process, or an operating system does to it. Nobody waits for it here. */
function ask(world: World, owner: SimOwner, step: Extract<Step, { readonly owner: number }>): void {
  switch (step.type) {
    case 'enqueue':
      return world.enqueue(owner, step.kinds, step.delayMs)
    case 'cancel': {
      const running = world.jobs.filter((id) => world.rig.row(id)?.state === 'running')
      const among = step.job % 2 === 1 && running.length > 0 ? running : world.jobs
      const job = among[step.job % Math.max(among.length, 1)]
      return void (job !== undefined && world.cancel(owner, job))
    }
    case 'drain':
      return void world.drain(owner, step.timeoutMs)
    case 'interrupt':
      return owner.services.dispatcher.interruptAll()
    case 'reload':
      return void owner.host.calls().reload()
    case 'die':
      return world.die(owner)
  }
}

/** Enough for three attempts of the slowest kind with a process that takes over, and far more than any run has needed. */
const restsMax = 150

async function comeToAnEnd(world: World): Promise<void> {
  const calmSince = world.time.mono
  world.startOwner()
  for (let rests = 0; rests < restsMax; rests++) {
    await world.releaseAll()
    judgeRest(world, world.time.mono - calmSince)
    if (isAllOver(world)) break
    world.time.advance(leapMs(world, rests))
  }
  for (const owner of world.owners.filter(({ state }) => state === 'up')) void world.close(owner)
  for (let rests = 0; rests < 20 && world.draining.size > 0; rests++) {
    await world.releaseAll()
    world.time.advance(500)
  }
  await world.releaseAll()
  judgeEnd(world)
  const [broken] = world.history.broken
  if (broken !== undefined) throw broken
}

function isAllOver(world: World): boolean {
  return (
    !world.isAwaited && world.draining.size === 0 && [...world.rig.snapshot().values()].every(({ state }) => isTerminal(state))
  )
}

/** Longer and longer, but within what renewals need; where nothing runs, on to the next job that is due. */
function leapMs(world: World, rests: number): number {
  const short = Math.min(20 * 2 ** rests, simConfig.leaseDurationMs / 6)
  const rows = [...world.rig.snapshot().values()]
  if (rows.some(({ state }) => state === 'running')) return short
  const due = Math.min(...rows.filter(({ state }) => state === 'ready').map(({ run_at }) => run_at)) - world.time.wall
  return Number.isFinite(due) ? Math.max(due, short) : short
}
