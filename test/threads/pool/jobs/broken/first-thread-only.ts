/** Loads on the first thread that reads the counter file, fails on the next two, and loads from then on. */
import { appendFileSync, readFileSync } from 'node:fs'
import { defineJobs, job } from '../../../../../src/job/definition.ts'

const file = process.env['REEVE_TEST_COUNTER'] ?? ''
appendFileSync(file, 'x')
const load = readFileSync(file, 'utf8').length
if (load === 2 || load === 3) throw new Error(`load ${load} fails`)

export default defineJobs({
  load: job({ run: () => load }),
  forever: job({
    async run(_input: undefined, ctx) {
      ctx.progress(0, 'here')
      await new Promise(() => {})
    },
  }),
})
