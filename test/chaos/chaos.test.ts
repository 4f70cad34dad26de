import { expect, test } from 'vitest'
import { runChaos } from '../support/chaos/run.ts'
import { seedOfRun } from '../support/crash/seeded.ts'
import { Scratch } from '../support/runtime/open-runtime.ts'

const seed = seedOfRun()
const seconds = Number(process.env['REEVE_CHAOS_SECONDS'] ?? 45)

test(`in ${seconds} s of chaos no job is lost, no two bodies of one overlap, and none settles twice (REEVE_SEED=${seed})`, {
  timeout: seconds * 1_000 + 180_000,
}, async () => {
  console.log(`REEVE_SEED=${seed}`)
  using scratch = new Scratch()
  const { breaches, fallen, kills, jobs, counts } = await runChaos(scratch, { seed, seconds })
  console.log(`${jobs} jobs, ${kills} kills`, JSON.stringify(counts, null, 1))
  expect(breaches.slice(0, 20), `REEVE_SEED=${seed}`).toEqual([])
  expect(fallen).toEqual([])
  expect(kills).toBeGreaterThan(seconds / 3)
  expect(jobs).toBeGreaterThan(seconds * 10)
})
