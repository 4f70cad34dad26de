/** The delay of this thread's event loop, by Node's own histogram with a timer of 1 ms: an undelayed loop reads about 1 ms. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sample, SampleNumbers } from './sample.ts'

/** Begins to watch; the returned function ends it and tells what was seen. */
export function watchLoop(): () => SampleNumbers {
  const histogram = monitorEventLoopDelay({ resolution: 1 })
  histogram.enable()
  return () => {
    histogram.disable()
    return {
      loopP50Ms: histogram.percentile(50) / 1e6,
      loopP99Ms: histogram.percentile(99) / 1e6,
      loopMaxMs: histogram.max / 1e6,
    }
  }
}

/** A process that does nothing. */
export const idle: Sample = async ({ idleMs }) => {
  await sleep(200)
  const seen = watchLoop()
  await sleep(idleMs)
  return seen()
}
