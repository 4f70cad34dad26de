import { defineJobs, job } from '../../../src/job/definition.ts'

const open = async () =>
  new Map([
    ['a', 1],
    ['b', 2],
  ])

export default defineJobs({
  looksUp: job({ setup: open, run: (key: string, ctx) => ctx.resource.get(key) }),
  looksUpInAProcess: job({ isolation: 'process', setup: open, run: (key: string, { resource }) => resource.get(key) }),
  cannotOpen: job({
    retry: { attemptsMax: 1 },
    setup() {
      throw new Error('no such file')
    },
    run: () => 'ran',
  }),
})
