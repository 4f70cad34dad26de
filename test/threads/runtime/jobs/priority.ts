/** What Linux says of the thread that runs a handler. */
import { readFileSync } from 'node:fs'
import { defineJobs, job } from '../../../../src/index.ts'

export default defineJobs({
  stat: job({ run: () => readFileSync('/proc/thread-self/stat', 'utf8') }),
})
