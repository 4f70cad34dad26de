/** The full plan: `vitest run --project long test/chaos`. `REEVE_CHAOS_SECONDS` makes it longer. */
import { expect, test } from 'vitest'
import { runChaos } from '../support/chaos/run.ts'
import { seedOfRun } from '../support/crash/seeded.ts'
import { Scratch } from '../support/runtime/open-runtime.ts'

const seed = seedOfRun()
const seconds = Number(process.env['REEVE_CHAOS_SECONDS'] ?? 60)
const [jobsMin, killsMin] = [100_000, 500]

test(`over ${jobsMin} jobs and ${killsMin} kills none is lost, no two bodies of one overlap, and none settles twice (REEVE_SEED=${seed})`, {
  timeout: 3_600_000,
}, async () => {
  console.log(`REEVE_SEED=${seed}`)
  using scratch = new Scratch()
  const { breaches, fallen, kills, jobs, counts } = await runChaos(scratch, { seed, seconds, jobsMin, killsMin })
  console.log(`${jobs} jobs, ${kills} kills`, JSON.stringify(counts, null, 1))
  expect(breaches.slice(0, 20), `REEVE_SEED=${seed}`).toEqual([])
  expect(fallen).toEqual([])
  expect(jobs).toBeGreaterThanOrEqual(jobsMin)
  expect(kills).toBeGreaterThanOrEqual(killsMin)
})
