/**
 * A report a night, whatever nights the program was down. Start it, stop it (Ctrl-C), and start it again next week:
 *
 *     node examples/nightly-report/main.ts
 */
import { once } from 'node:events'
import { createRuntime } from 'reeve'
import type jobs from './jobs.ts'

const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await using runtime = await createRuntime<typeof jobs>({
  database: process.env['NIGHTLY'] ?? 'nightly.db',
  jobs: new URL('./jobs.ts', import.meta.url),
  threads: 1,
})
runtime.on('completed', ({ result: { day, isCatchUp } }) => console.log(`report of ${day}${isCatchUp ? ', made up for' : ''}`))
const [next] = await runtime.schedules.nextFireTimes('report')
console.log(`the next report is due at ${next?.toISOString()}`)
for (const { from, to, count, reason } of await runtime.schedules.skips('report'))
  console.log(`left out: ${count} from ${new Date(from).toISOString()} to ${new Date(to).toISOString()} (${reason})`)
await stopped
