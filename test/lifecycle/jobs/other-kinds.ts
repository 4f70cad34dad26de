/** What a newer version of an app might know. */
import { defineJobs, job } from '../../../src/index.ts'

export default defineJobs({ newcomer: job({ run: (input: string) => `seen ${input}` }) })
