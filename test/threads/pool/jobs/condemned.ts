/** A handler inside a native call, for as long as the test wants. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { defineJobs, job } from '../../../../src/job/definition.ts'

export default defineJobs({
  nothing: job({ run: () => undefined }),
  exits: job({ run: () => process.exit(0) }),
  stuck: job({
    run(name: string) {
      execFileSync(process.execPath, [fileURLToPath(new URL('./wait-for-file.ts', import.meta.url)), name])
    },
  }),
})
