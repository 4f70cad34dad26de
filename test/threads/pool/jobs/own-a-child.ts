/** A program whose pool has one child process at work. It says which. */
import { ProcessPool } from '../../../../src/threads/process-pool.ts'
import { openPool } from '../../../support/threads/test-pool.ts'

const pool = await openPool('processes.ts', {}, (options) => new ProcessPool(options))
const run = await pool.start(process.argv[2] as string)
await run.until(() => run.notes.length > 0)
process.send?.(run.run.pid)
