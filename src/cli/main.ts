#!/usr/bin/env node
/** The `reeve` command. An older Node.js gets a sentence: nothing that it could not load is loaded before the check. */
import { refuseOldNode } from '../node-version.ts'

try {
  refuseOldNode(process.versions.node)
} catch (error) {
  console.error((error as Error).message)
  process.exit(2)
}
const { runCommand } = await import('./command.ts')
process.exitCode = await runCommand(process.argv)
