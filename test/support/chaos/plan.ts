/** What happens to the processes of a chaos run, and when. Pure: the seed alone decides. */
import { drawsOf } from '../crash/seeded.ts'
import type { Role } from './app-options.ts'

/** One blow, `pauseMs` after the one before it. `victim` is a place in the crowd; `ms` is how long it lasts. */
export interface Blow {
  readonly type: BlowName
  readonly pauseMs: number
  readonly victim: number
  readonly ms: number
  /** Of the process that takes the place of one that has gone. */
  readonly next: { readonly role: Role; readonly seed: number; readonly durability: 'power' | 'process' }
}

/** How often each comes, against the others. `kills` are those that end or stop a process or its supervisor. */
const weights = {
  /** SIGKILL. */
  kill: 6,
  /** SIGSTOP for longer than the lease, then SIGCONT. */
  stop: 3,
  /** The supervisor thread is terminated. */
  supervisor: 4,
  /** The runtime is closed and its process ends. */
  close: 1,
  /** Another program holds the write lock. */
  lock: 1,
  /** Every write to the database's files fails with ENOSPC. */
  full: 1,
  /** Every write and sync of them fails with EIO. */
  io: 1,
  /** The wall clock is a day ahead. */
  wall: 1,
} as const

/** What can happen. */
export type BlowName = keyof typeof weights

/** All names. */
export const blowNames = Object.keys(weights) as readonly BlowName[]

const durations: Readonly<Record<BlowName, readonly [number, number]>> = {
  ...{ kill: [0, 0], supervisor: [0, 0], close: [0, 0] },
  stop: [1_100, 2_500],
  lock: [200, 2_500],
  full: [100, 1_200],
  io: [20, 300],
  wall: [100, 1_000],
}

/** How many processes share the file. The roles of the first ones are fixed, so that there is always work and somebody to do it. */
export const firstRoles: readonly Role[] = ['both', 'worker', 'client']

/** The blows of a seed, without an end. */
export function* planOf(seed: number): Generator<Blow, never> {
  const draw = drawsOf(seed)
  const lots = blowNames.flatMap((name) => Array.from({ length: weights[name] }, () => name))
  for (;;) {
    const type = lots[draw(0, lots.length - 1)] ?? 'kill'
    const victim = draw(0, firstRoles.length - 1)
    const [least, most] = durations[type]
    yield {
      type,
      victim,
      pauseMs: draw(100, 1_200),
      ms: draw(least, most),
      next: { role: firstRoles[victim] ?? 'both', seed: draw(0, 2 ** 30), durability: draw(0, 1) === 0 ? 'power' : 'process' },
    }
  }
}
