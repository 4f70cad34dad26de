import { defineJobs, job } from '../../../src/job/definition.ts'

const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

async function times(_input: undefined, { timing }: { timing: import('../../../src/job/context.ts').JobContext['timing'] }) {
  const open = timing('until ended')
  {
    using _ = timing('a block')
    await later(5)
  }
  const answer = await timing('a promise', async () => {
    await later(5)
    return 42
  })
  open.end()
  open.end()
  return answer + timing('a function', () => 1)
}

export default defineJobs({
  times: job({ run: times }),
  timesInAProcess: job({ isolation: 'process', run: times }),
  throws: job({
    retry: { attemptsMax: 2, backoff: 1 },
    run(_input: undefined, { timing }) {
      timing('throws', () => {
        throw new Error('no')
      })
    },
  }),
  hangs: job({
    timeout: 100,
    retry: { attemptsMax: 1 },
    run(_input: undefined, ctx) {
      ctx.timing('before', () => 1)
      using _ = ctx.timing('endless loop')
      for (;;);
    },
  }),
  timesALot: job({
    run(count: number, { timing }) {
      for (let turn = 0; turn < count; turn++) timing(`turn ${turn}`, () => turn)
    },
  }),
})
