/** Files that even root cannot write to. */
import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { onTestFinished } from 'vitest'

/**
 * Makes a file or folder unwritable until the test is over, and says whether that worked. Permissions do not stop root, the
 * immutable attribute of Linux does; not every file system has it.
 */
export function makeReadOnly(path: string): boolean {
  if (process.getuid?.() !== 0) {
    chmodSync(path, 0o555)
    onTestFinished(() => chmodSync(path, 0o755))
    return true
  }
  try {
    execFileSync('chattr', ['+i', path], { stdio: 'ignore' })
  } catch {
    return false
  }
  onTestFinished(() => void execFileSync('chattr', ['-i', path]))
  return true
}

/** Why a test is skipped where {@link makeReadOnly} says no. */
export const notReadOnly = 'runs as root on a file system without the immutable attribute'
