import { existsSync } from 'node:fs'
import { defineJobs, job } from '../../../src/job/definition.ts'

function call(file: string): string {
  if (!existsSync(file)) throw new Error('the service is down')
  return 'called'
}

/** Kinds that work once the file is there. */
export default defineJobs({
  calls: job({ breaker: { failures: 2, cooldown: '40ms' }, retry: { attemptsMax: 1 }, run: call }),
  callsRarely: job({ breaker: { failures: 1, cooldown: '1h' }, retry: { attemptsMax: 9, backoff: [0] }, run: call }),
})
