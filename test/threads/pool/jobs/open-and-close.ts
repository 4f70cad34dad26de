/** A program that opens a pool, kills one thread, leaves another one busy, and closes the pool. */
import { openPool } from '../../../support/threads/test-pool.ts'

const pool = await openPool('faults.ts', { threads: 2 })
const killed = await pool.start('spins')
await killed.said('here')
killed.run.terminate()
await killed.ended()
const busy = await pool.start('forever')
await busy.said('here')
await pool[Symbol.asyncDispose]()
console.log('closed')
