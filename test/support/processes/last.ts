/** Real time, for what is real time: how long a fault lasts, or a measurement. Not for waiting until something has happened. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Lets the fault (or the measurement) last for so long. */
export async function lasts(ms: number): Promise<void> {
  await sleep(ms)
}
