import { expect, test } from 'vitest'
import { ProcessPool } from '../../../src/threads/process-pool.ts'
import { gone, isAlive } from '../../support/threads/processes.ts'
import { type MakePool, openPool } from '../../support/threads/test-pool.ts'

const inProcess: MakePool = (options) => new ProcessPool(options)

test.each(['return', 'throw', 'exit'])(
  '%s: a process of ctx.spawn is gone when the attempt has ended by itself',
  async (then) => {
    await using pool = await openPool('processes.ts')
    const run = await pool.start('spawns', then)
    await run.ended()
    await gone(Number(run.notes[0]))
  },
)

test.each([
  ['hang', 'a thread', undefined],
  ['spin', 'a thread', undefined],
  ['spin', 'a child process', inProcess],
] as const)('%s: a process of ctx.spawn is gone when the attempt on %s was terminated', async (then, _where, make) => {
  await using pool = await openPool('processes.ts', {}, make)
  const run = await pool.start('spawns', then)
  await run.until(() => run.notes.length > 0)
  const pid = Number(run.notes[0])
  expect(isAlive(pid)).toBe(true)
  run.run.terminate()
  await run.ended()
  await gone(pid)
})

test('a process of ctx.spawn can be talked to as any other, and is off the record once it has ended', async () => {
  const told: string[] = []
  const children = { childStarted: () => void told.push('started'), childEnded: () => void told.push('ended') }
  await using pool = await openPool('processes.ts', { children })
  const run = await pool.start('spawnsAndWaits')
  expect(await run.settled()).toMatchObject({ type: 'returned', result: '"42"' })
  expect(told).toEqual(['started', 'ended'])
})
