/** The oldest Node.js that Reeve runs on. A leaf that older versions can load, so that they get a sentence and not a crash. */
import { ReeveError } from './errors.ts'

const oldest = [22, 18] as const

/**
 * Refuses a Node.js on which better-sqlite3 13 would take the process down.
 *
 * @throws ReeveError `REEVE_NODE_UNSUPPORTED` that names the version found and the one needed.
 */
export function refuseOldNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return
  throw new ReeveError(
    'REEVE_NODE_UNSUPPORTED',
    `Reeve needs Node.js ${oldest.join('.')} or later; this is ${version}. Install a current LTS.`,
  )
}
