import { defineJobs, job } from '../../../../../src/job/definition.ts'

export default defineJobs({ resize: job({ timeout: '3 parsecs' as never, run() {} }) })
