/** Node's own pool of threads: it starts with the first file operations that are not synchronous, and stays. */
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/** Brings it up, so that a count of threads that begins afterwards does not take it for a leak. */
export async function startNodePool(): Promise<void> {
  await Promise.all(Array.from({ length: 8 }, () => stat(tmpdir())))
}
