import { existsSync } from 'node:fs'
import { defineJobs, job } from '../../../src/job/definition.ts'

export default defineJobs({
  /** Works once the file is there. */
  calls: job({
    breaker: { failures: 2, cooldown: '40ms' },
    retry: { attemptsMax: 1 },
    run(file: string) {
      if (!existsSync(file)) throw new Error('the service is down')
      return 'called'
    },
  }),
})
