import { existsSync, readFileSync, watch } from 'node:fs'
import { dirname } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { buildIfStale } from '../support/built-package.ts'
import { type NodeProgram, startNode } from '../support/node-program.ts'
import { Scratch } from '../support/runtime/open-runtime.ts'

const main = 'examples/order-flow/main.ts'

beforeAll(buildIfStale)

/** The example on a database of its own. */
class Orders {
  readonly #database: string

  constructor(database: string) {
    this.#database = database
  }

  get effects(): readonly string[] {
    const ledger = `${this.#database}.ledger`
    return existsSync(ledger) ? readFileSync(ledger, 'utf8').trim().split('\n') : []
  }

  start(...args: string[]): NodeProgram {
    return startNode([main, ...args], { env: { ORDERS: this.#database } })
  }

  async run(...args: string[]): Promise<void> {
    expect(await this.start(...args).end).toMatchObject({ code: 0 })
  }

  /** Works until it has had this effect, and is killed then. */
  async workAndDie(effect: string): Promise<void> {
    const work = this.start('work')
    const done = Promise.withResolvers<void>()
    const look = () => this.effects.some((line) => line.startsWith(effect)) && done.resolve()
    const watcher = watch(dirname(this.#database), look)
    look()
    await Promise.race([done.promise, work.end])
    watcher.close()
    work.child.kill('SIGKILL')
    expect(await work.end).toMatchObject({ signal: 'SIGKILL' })
  }
}

test('an order goes on over kills in the middle of its effects, and each is done once or, where it was killed with its process, again', async () => {
  using scratch = new Scratch()
  const orders = new Orders(scratch.database)
  await orders.run('order', '17')
  await orders.workAndDie('charged')
  // Whoever approves needs no worker; the event waits for its job.
  await orders.run('approve', '17')
  await orders.workAndDie('shipped')
  const { code, output } = await orders.start('work').end
  expect(code).toBe(0)
  expect(output).toMatch(/is done: \{"shipped":true,"approvedBy":"ann","payment":\{"reference":".*\/charge","attempt":1\}\}/)
  const times = (effect: string) => orders.effects.filter((line) => line === `${effect} order 17`).length
  for (const effect of ['charged', 'shipped', 'mailed']) {
    expect(times(effect), effect).toBeGreaterThanOrEqual(1)
    expect(times(effect), effect).toBeLessThanOrEqual(2)
  }
  expect(times('refunded')).toBe(0)
})

test('while an order waits for its approval nothing is done, and its worker may come and go', async () => {
  using scratch = new Scratch()
  const orders = new Orders(scratch.database)
  await orders.run('order', '18')
  for (let restart = 1; restart <= 2; restart++) {
    const work = orders.start('work')
    if (restart === 1) await work.seen('waits')
    work.child.kill('SIGKILL')
    await work.end
  }
  expect(orders.effects).toEqual(['charged order 18'])
  const work = orders.start('work')
  await orders.run('approve', '18')
  const { output } = await work.end
  expect(output).toContain('is done')
  expect(orders.effects.toSorted()).toEqual(['charged order 18', 'mailed order 18', 'shipped order 18'])
}, 60_000)
