/** The Node.js of the machine, where it is older than what we support. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { ReeveError } from '../../../src/index.ts'
import { refuseOldNode } from '../../../src/node-version.ts'

/** Its path; undefined where there is none. */
export function oldNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !folder.includes('node_modules'))
  return folders
    .map((folder) => join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
    .filter((file) => existsSync(file))
    .find((file) => isRefused(execFileSync(file, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim()))
}

/** Whether this version is too old. */
export function isRefused(version: string): boolean {
  try {
    refuseOldNode(version)
    return false
  } catch (error) {
    return error instanceof ReeveError && error.code === 'REEVE_NODE_UNSUPPORTED'
  }
}
