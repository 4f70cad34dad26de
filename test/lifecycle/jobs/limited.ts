/** Handlers under limits. */
import { defineJobs, job } from '../../../src/index.ts'
import { passGate } from '../../support/runtime/gate.ts'

async function run({ gate }: { gate: string }, ctx: { progress(fraction: number, note: string): void; signal: AbortSignal }) {
  await passGate(gate, () => ctx.progress(0.5, 'at the gate'), ctx.signal)
}

export default defineJobs({
  single: job({ concurrency: 1, run }),
  ordered: job({ groupConcurrency: 1, run: (input: string, ctx) => `${ctx.job.group} ${input}` }),
  free: job({ run: () => 'free' }),
  rated: job({ rateLimit: { limit: 1, per: '150ms' }, run: () => Date.now() }),
  /** Its host has had enough. */
  backsOff: job({
    run(input: { until: number }, ctx) {
      if (Date.now() < input.until) ctx.backOff(input.until - Date.now())
      return 'done'
    },
  }),
  gpu: job({ resource: 'gpu', run: () => 'rendered' }),
})
