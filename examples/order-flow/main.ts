/**
 * An order that outlives its process. In one terminal:
 *
 *     node examples/order-flow/main.ts order 17
 *     node examples/order-flow/main.ts work        # charges, and waits. Kill it (kill -9), and start it again, as you like
 *
 * and in another one, days later or at once:
 *
 *     node examples/order-flow/main.ts approve 17
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createRuntime } from 'reeve'
import type jobs from './jobs.ts'

const [command, orderId = '1'] = process.argv.slice(2)
const database = process.env['ORDERS'] ?? 'orders.db'
await using runtime = await createRuntime<typeof jobs>({
  database,
  jobs: new URL('./jobs.ts', import.meta.url),
  threads: command === 'work' ? 2 : 0, // who only orders or approves runs nothing
})

if (command === 'order') {
  const { id } = await runtime.enqueue('order', { orderId, ledger: `${database}.ledger` })
  console.log(`order ${orderId} is job ${id}`)
} else if (command === 'approve') {
  await runtime.emit('approved', { by: 'ann' }, { key: orderId })
  console.log(`order ${orderId} is approved`)
} else if (command === 'work') {
  runtime.on('suspended', ({ jobId }) => console.log(`job ${jobId} waits`))
  runtime.on('completed', ({ jobId, result }) => console.log(`job ${jobId} is done: ${JSON.stringify(result)}`))
  const isLeft = ({ ready, running, suspended }: Awaited<ReturnType<typeof runtime.counts>>) => ready + running + suspended > 0
  while (isLeft(await runtime.counts())) await sleep(200)
} else console.log('order <number> | approve <number> | work')
