/** A child process that opens a database when told to, so that several do it at the same moment. */
import { openDatabase } from '../../../src/persistence/sqlite/open.ts'

process.on('message', (database: string) => {
  try {
    openDatabase({ database, durability: 'process' }).close()
    process.send?.('opened')
  } catch (error) {
    process.send?.(String(error))
  }
  process.disconnect()
})
process.send?.('ready')
