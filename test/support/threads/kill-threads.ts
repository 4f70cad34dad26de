/** Kills threads one after the other, and counts what the process holds before and after. */
import { readdirSync } from 'node:fs'
import { openPool } from './test-pool.ts'

const count = (folder: string) => readdirSync(`/proc/self/${folder}`).length

/** By how much the operating system threads and file handles of this process have grown after so many kills. Linux only. */
export async function growthAfterKills(kills: number): Promise<{ threads: number; handles: number }> {
  await using pool = await openPool('faults.ts', { threads: 2 })
  const killOne = async () => {
    const run = await pool.start('forever')
    run.run.terminate()
    await run.ended()
  }
  await killOne()
  await pool.until(() => pool.pool.idleCount() === 2)
  const [threads, handles] = [count('task'), count('fd')]
  for (let kill = 0; kill < kills; kill++) await killOne()
  await pool.until(() => pool.pool.idleCount() === 2)
  return { threads: count('task') - threads, handles: count('fd') - handles }
}
