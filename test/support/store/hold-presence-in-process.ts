/** A child process that holds a presence until it is killed. */
import type { OwnerId } from '../../../src/job/lease.ts'
import { holdPresence } from '../../../src/persistence/sqlite/presence.ts'

process.on('message', ({ database, owner }: { database: string; owner: OwnerId }) => {
  holdPresence({ database, owner })
  // Nobody refers to the presence here: a collection must not close its connection, and free its lock with it.
  globalThis.gc?.()
  process.send?.('held')
})
process.send?.('ready')
