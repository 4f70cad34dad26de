import { expect, test } from 'vitest'
import { Committer } from '../../src/actors/committer.ts'
import { Scheduler } from '../../src/actors/scheduler.ts'
import { ReeveError } from '../../src/errors.ts'
import type { KindCatalog } from '../../src/job/kind.ts'
import type { ScheduleOptions } from '../../src/job/schedule/options.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { silentLogger } from '../support/sim/sim-owner.ts'
import { ownerId } from '../support/store/commands.ts'
import { newSchedule } from '../support/store/schedules.ts'
import { openStore, plainConnection } from '../support/store/scratch.ts'

/** A scheduler with a real store and committer; its clock is in the hands of the test, and begins at a full minute. */
function open(schedules: Readonly<Record<string, ScheduleOptions>>) {
  const store = openStore()
  const clock = new ManualClock()
  clock.time.jumpWall(60_000 - (clock.wall() % 60_000))
  const committer = new Committer({ store, clock, logger: silentLogger })
  const [failures, errors]: [unknown[], unknown[]] = [[], []]
  let ids = 0
  const scheduler = new Scheduler({
    ...{ store, committer, clock, random: { id: () => `id-${++ids}` }, owner: ownerId('ann') },
    ...{ fired: () => undefined, stop: () => undefined, cancelled: () => undefined },
    logger: { ...silentLogger, error: (fields: object) => void errors.push(fields) },
    failed: (error) => void failures.push(error),
  })
  const catalogOf = (all: Readonly<Record<string, ScheduleOptions>>): KindCatalog => ({
    report: { schedules: Object.entries(all).map(([name, options]) => newSchedule(name, options)) },
  })
  const start = async () => {
    scheduler.useKinds(catalogOf(schedules))
    const started = scheduler.start()
    await clock.turns()
    await started
  }
  const db = plainConnection(store.file)
  const instants = () => db.prepare<[], number>('SELECT scheduled_at FROM reeve_jobs ORDER BY scheduled_at').pluck().all()
  return { store, clock, committer, scheduler, failures, errors, start, catalogOf, instants, db }
}

const every = { every: '10s', overlap: 'allow' } as const

test('it fires each tick when it is due, with nobody to wake it', async () => {
  const { clock, start, instants } = open({ often: every })
  const begin = clock.wall()
  await start()
  await clock.advance(35_000)
  expect(instants().map((at) => at - begin)).toEqual([10_000, 20_000, 30_000])
})

test('a wall clock that is set back fires nothing twice, and goes on when it has caught up', async () => {
  const { clock, scheduler, start, instants } = open({ often: every })
  const begin = clock.wall()
  await start()
  await clock.advance(20_000)
  clock.time.jumpWall(-15_000)
  scheduler.look()
  await clock.advance(15_000)
  expect(instants().map((at) => at - begin)).toEqual([10_000, 20_000])
  await clock.advance(11_000)
  expect(instants()).toHaveLength(3)
})

test('a decision that the database refuses is made again after a second', async () => {
  const { clock, committer, start, instants, failures } = open({ often: every })
  await start()
  committer.refuse(new ReeveError('REEVE_DATABASE_FULL', 'full'))
  await clock.advance(10_500)
  expect(instants()).toEqual([])
  committer.refuse(null)
  await clock.advance(1_000)
  expect([instants().length, failures]).toEqual([1, []])
})

test('a database that refuses at the start is given what code declares when it takes it', async () => {
  const { store, clock, committer, scheduler, start } = open({ often: every })
  committer.refuse(new ReeveError('REEVE_DATABASE_FULL', 'full'))
  await start()
  expect(await store.schedules()).toEqual([])
  committer.refuse(null)
  scheduler.look()
  await clock.advance(1_000)
  expect(await store.schedules()).toMatchObject([{ name: 'often', source: 'code' }])
})

test('a schedule that this machine cannot read is told of once, and the others are fired', async () => {
  const { clock, start, instants, errors, db } = open({ often: every, strange: { cron: '* * * * *' } })
  await start()
  db.prepare("UPDATE reeve_schedules SET spec = json_set(spec, '$.timeZone', 'Mars/Phobos') WHERE name = 'strange'").run()
  await clock.advance(125_000)
  expect(instants()).toHaveLength(12)
  expect(errors).toMatchObject([{ schedule: 'strange' }])
})

test('new kinds bring their schedules, and take away those that are gone', async () => {
  const { store, clock, scheduler, start, catalogOf } = open({ often: every, old: every })
  await start()
  scheduler.useKinds(catalogOf({ often: every, brand: every }))
  await clock.turns()
  expect((await store.schedules()).map(({ name }) => name)).toEqual(['brand', 'often'])
})

test('once it is stopped it fires no more', async () => {
  const { clock, scheduler, start, instants } = open({ often: every })
  await start()
  scheduler.stop()
  scheduler.look()
  await clock.advance(60_000)
  expect(instants()).toEqual([])
})
