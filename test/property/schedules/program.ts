/** Random programs for a machine with schedules, and how one is played. */
import fc from 'fast-check'
import { type NewSchedule, newScheduleOf, type ScheduleOptions } from '../../../src/job/schedule/options.ts'
import type { Rig } from '../../support/sim/rig.ts'
import type { CommitFault } from '../../support/sim/sim-store.ts'
import { Judge } from './judge.ts'
import { Machine, type Wrap } from './machine.ts'

/** What can happen. */
export type Step =
  | { readonly type: 'go'; readonly pick: number }
  | { readonly type: 'rest' | 'start' | 'begin' | 'look' }
  | { readonly type: 'kill'; readonly index: number }
  | { readonly type: 'advance' | 'jump'; readonly ms: number }
  | { readonly type: 'end'; readonly outcome: 'complete' | 'discard' }
  | { readonly type: 'fault'; readonly fault: CommitFault }

/** A run of a machine. */
export interface Program {
  readonly schedules: readonly NewSchedule[]
  readonly steps: readonly Step[]
}

const timing = fc.constantFrom<ScheduleOptions>(
  { every: '10s' },
  { every: '7s', jitter: '5s' },
  { cron: '*/15 * * * * *' },
  { cron: '* * * * *', timeZone: 'Europe/Berlin' },
)
const options: fc.Arbitrary<ScheduleOptions> = fc
  .record({
    timing,
    overlap: fc.constantFrom('skip' as const, 'allow' as const, 'queue' as const, 'cancel-running' as const),
    catchUp: fc.constantFrom('skip' as const, 'last' as const, { all: true as const, max: 1 }, { all: true as const, max: 3 }),
    breaker: fc.constantFrom(null, null, { failures: 1, skipMax: 2 }),
  })
  .map(({ timing, breaker, ...rest }) => ({ ...timing, ...rest, ...(breaker !== null && { breaker }) }))

const schedules = fc
  .array(options, { minLength: 1, maxLength: 2 })
  .map((list) => list.map((each, index) => newScheduleOf({ name: `schedule-${index}`, kind: 'report' }, each, 'schedule')))

const ms = fc.constantFrom(1, 500, 5_000, 10_000, 15_000, 31_000, 60_000, 240_000)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('go' as const), pick: fc.nat(20) }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom('rest' as const, 'start' as const, 'begin' as const, 'look' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('kill' as const), index: fc.nat(3) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('advance' as const), ms }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('jump' as const), ms: fc.constantFrom(-70_000, -9_000, 9_000, 300_000) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('end' as const),
      outcome: fc.constantFrom('complete' as const, 'discard' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('fault' as const),
      fault: fc.constantFrom<CommitFault>('busy', 'unknown-lost', 'unknown-done'),
    }),
  },
)

/** Programs of up to some sixty steps. */
export const programs: fc.Arbitrary<Program> = fc.record({
  schedules,
  steps: fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }),
})

/** Plays a program on emptied tables; throws by the name of the invariant that breaks. */
export async function play(rig: Rig, { schedules, steps }: Program, reached: Set<string>, wrap: Wrap): Promise<void> {
  rig.reset()
  const judge = new Judge(rig, reached)
  const machine = new Machine({ rig, judge, schedules, wrap })
  machine.start()
  machine.start()
  await machine.rest()
  for (const step of steps) await take(machine, step)
  // After the faults: one process at least, time that goes on, and all is decided.
  machine.faults.splice(0)
  machine.start()
  for (let round = 0; round < 4; round++) {
    machine.time.advance(2_000)
    machine.lookAll()
    await machine.rest()
  }
  const [failure] = machine.failures
  if (failure !== undefined) throw failure
  judge.atRest(machine.time.wall)
}

async function take(machine: Machine, step: Step): Promise<void> {
  switch (step.type) {
    case 'go':
      return machine.go(step.pick)
    case 'rest':
      return machine.rest()
    case 'start':
      return machine.start()
    case 'look':
      return machine.lookAll()
    case 'kill':
      return machine.kill(step.index)
    case 'advance':
      return machine.time.advance(step.ms)
    case 'jump':
      return machine.time.jumpWall(step.ms)
    case 'begin':
      return machine.beginJob()
    case 'end':
      return machine.endJob(step.outcome)
    case 'fault':
      return void machine.faults.push(step.fault)
  }
}
