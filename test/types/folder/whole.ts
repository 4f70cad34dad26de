/** A job file that is one value. */
import { job } from '../../../src/index.ts'

export default job({ timeout: '1m', run: async (input: number) => String(input) })
