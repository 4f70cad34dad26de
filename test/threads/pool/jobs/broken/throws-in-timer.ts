import { defineJobs, job } from '../../../../../src/job/definition.ts'

setTimeout(() => {
  throw new Error('stray timer of the module')
}, 1)

export default defineJobs({ nothing: job({ run() {} }) })
