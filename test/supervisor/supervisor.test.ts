import { describe, expect, test } from 'vitest'
import { type Child, Supervisor } from '../../src/supervisor/supervisor.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { silentLogger } from '../support/sim/sim-owner.ts'

function open(children: readonly (Partial<Child> & { readonly name: string })[]) {
  const clock = new ManualClock()
  const log: string[] = []
  const escalated: unknown[] = []
  const supervisor = new Supervisor({
    ...{ clock, logger: silentLogger, escalate: (error: unknown) => void escalated.push(error) },
    children: children.map(({ name, onFailure = 'alone', start, stop }) => ({
      ...{ name, onFailure },
      start: async () => {
        await start?.()
        log.push(`start ${name}`)
      },
      stop: async () => {
        log.push(`stop ${name}`)
        await stop?.()
      },
    })),
  })
  /** What was started and stopped since the last call. */
  const since = () => log.splice(0)
  return { clock, supervisor, since, escalated }
}

const refuse = () => {
  throw new Error('no')
}

describe('starting and stopping', () => {
  test('children start in their order, each after the one before is up, and stop in the reverse order', async () => {
    const { supervisor, since } = open([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    await supervisor.start()
    expect(since()).toEqual(['start a', 'start b', 'start c'])
    await supervisor.stop()
    expect(since()).toEqual(['stop c', 'stop b', 'stop a'])
  })

  test('where one does not start, those before it are stopped, and its error is thrown', async () => {
    const { supervisor, since } = open([{ name: 'a' }, { name: 'b' }, { name: 'c', start: refuse }, { name: 'd' }])
    await expect(supervisor.start()).rejects.toThrow('no')
    expect(since()).toEqual(['start a', 'start b', 'stop b', 'stop a'])
  })

  test('a child that fails to stop does not keep the others from stopping', async () => {
    const { supervisor, since } = open([{ name: 'a' }, { name: 'b', stop: refuse }, { name: 'c' }])
    await supervisor.start()
    since()
    await supervisor.stop()
    expect(since()).toEqual(['stop c', 'stop b', 'stop a'])
  })

  test('stopping twice stops each child once', async () => {
    const { supervisor, since } = open([{ name: 'a' }])
    await supervisor.start()
    await supervisor.stop()
    await supervisor.stop()
    expect(since()).toEqual(['start a', 'stop a'])
  })
})

describe('the failure of a child', () => {
  test('restarts it alone', async () => {
    const { supervisor, since, escalated } = open([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    await supervisor.start()
    since()
    await supervisor.childFailed('b', new Error('fault'))
    expect(since()).toEqual(['stop b', 'start b'])
    expect(escalated).toEqual([])
  })

  test('that cannot be rebuilt alone ends the thread, with the error, and restarts nothing', async () => {
    const { supervisor, since, escalated } = open([{ name: 'a', onFailure: 'escalate' }])
    await supervisor.start()
    since()
    await supervisor.childFailed('a', 'fault')
    expect(since()).toEqual([])
    expect(escalated).toEqual(['fault'])
  })

  test('five times in thirty seconds is borne, the sixth is not', async () => {
    const { clock, supervisor, escalated } = open([{ name: 'a' }, { name: 'b' }])
    await supervisor.start()
    for (const name of ['a', 'b', 'a', 'b', 'a']) {
      await supervisor.childFailed(name, 'fault')
      await clock.advance(5_000)
    }
    expect(escalated).toEqual([])
    await supervisor.childFailed('b', 'last')
    expect(escalated).toEqual(['last'])
  })

  test('is forgotten after thirty seconds', async () => {
    const { clock, supervisor, escalated } = open([{ name: 'a' }])
    await supervisor.start()
    for (let failures = 0; failures < 20; failures++) {
      await supervisor.childFailed('a', 'fault')
      await clock.advance(6_000)
    }
    expect(escalated).toEqual([])
  })

  test('whose restart fails too ends the thread', async () => {
    let starts = 0
    const { supervisor, escalated } = open([{ name: 'a', start: () => (starts++ > 0 ? refuse() : undefined) }])
    await supervisor.start()
    await supervisor.childFailed('a', 'fault')
    expect(escalated).toEqual([new Error('no')])
  })

  test('ends the thread once, however many fail', async () => {
    const { supervisor, escalated } = open([{ name: 'a', onFailure: 'escalate' }, { name: 'b' }])
    await supervisor.start()
    await supervisor.childFailed('a', 'first')
    await supervisor.childFailed('a', 'second')
    await supervisor.childFailed('b', 'third')
    expect(escalated).toEqual(['first'])
  })

  test('while all are being stopped changes nothing', async () => {
    const { supervisor, since, escalated } = open([{ name: 'a', onFailure: 'escalate' }, { name: 'b' }])
    await supervisor.start()
    since()
    const stopped = supervisor.stop()
    await supervisor.childFailed('a', 'fault')
    await supervisor.childFailed('b', 'fault')
    await stopped
    expect(since()).toEqual(['stop b', 'stop a'])
    expect(escalated).toEqual([])
  })
})
