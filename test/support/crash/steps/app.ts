/** A process that works through the flow, until it is killed or its input ends: `app.ts <database>`. It prints what happens. */
import { createRuntime } from '../../../../src/index.ts'

const ended = new Promise<void>((resolve) => process.stdin.on('end', resolve).resume())
const [database = ''] = process.argv.slice(2)
await using runtime = await createRuntime({
  ...{ database, jobs: new URL('./jobs.ts', import.meta.url), threads: 1, durability: 'process', crashesMax: 50 },
})
for (const event of ['started', 'suspended', 'completed', 'discarded'] as const) {
  runtime.on(event, () => {
    console.log(event)
    if (process.env['KILL_AT'] === event) process.kill(process.pid, 'SIGKILL')
  })
}
await ended
