/**
 * The app that crash tests kill: it enqueues in small bursts, notes what was acknowledged, and lets a runtime run it all.
 * It prints a line for every step, so that whoever kills it can choose a moment.
 */
import { createRuntime, type Durability } from '../../../src/index.ts'
import { write } from './diary.ts'
import type jobs from './jobs.ts'
import { drawsOf } from './seeded.ts'

const [database = '', diary = '', durability = 'power', seed = '0', mode = 'enqueues'] = process.argv.slice(2)
const draw = drawsOf(Number(seed))
const kinds = ['waits', 'waits', 'waits', 'computes', 'failsFirst', 'overruns'] as const

console.log('begun')
const runtime = await createRuntime<typeof jobs>({
  database,
  jobs: new URL('./jobs.ts', import.meta.url),
  threads: 2,
  durability: durability as Durability,
})
console.log('open')
runtime.on('started', ({ jobId }) => console.log(`started ${jobId}`))
runtime.on('completed', ({ jobId }) => console.log(`completed ${jobId}`))

/** A burst is one enqueueMany or several enqueues of one tick; half of it may still run when the next one begins. */
async function burst(): Promise<void> {
  const list = Array.from({ length: draw(1, 6) }, () => ({
    kind: kinds[draw(0, kinds.length - 1)] ?? 'waits',
    input: { diary, ms: draw(0, 15) },
  }))
  const handles =
    draw(0, 1) === 0
      ? await runtime.enqueueMany(list)
      : await Promise.all(list.map(({ kind, input }) => runtime.enqueue(kind, input)))
  write(diary, ...handles.map(({ id, kind }) => ({ what: 'acknowledged' as const, id, kind })))
  console.log(`acknowledged ${handles.length}`)
  await handles[draw(0, handles.length - 1)]?.result().catch(() => undefined)
}

if (mode === 'enqueues') for (;;) await burst()
