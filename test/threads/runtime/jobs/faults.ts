/** Every fault of the pool's own tests, and those that only a whole runtime can answer. */
import { defineJobs, job } from '../../../../src/index.ts'
import { passGate } from '../../../support/runtime/gate.ts'
import faults from '../../pool/jobs/faults.ts'

export default defineJobs({
  ...faults.kinds,
  gated: job({
    async run({ gate }: { gate: string }, ctx) {
      await passGate(gate, () => ctx.progress(0.5, 'at the gate'), ctx.signal)
      return 'through'
    },
  }),
  regex: job({ run: (_input: undefined) => /^(a+)+$/.test(`${'a'.repeat(40)}!`) }),
  resolvesNever: job({ run: () => new Promise<void>(() => {}) }),
  /** Never ends at its first attempt. */
  hangsOnce: job({
    run(_input: undefined, ctx) {
      ctx.progress(0, 'here')
      return ctx.attempt === 1 ? new Promise<number>(() => {}) : ctx.attempt
    },
  }),
})
