import { defineJobs, job } from '../../../../../src/job/definition.ts'

export default defineJobs({ resize: job({} as never) })
