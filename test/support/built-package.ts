/** Sees to it that `dist` is what `src` says: the demo, the bench and the README load the package by its own name. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds where `dist` is missing or older than `src`. Two test files may do so at the same time: the new folder comes in one step. */
export function buildIfStale(): void {
  const dist = join(root, 'dist')
  if (newest(dist) >= newest(join(root, 'src'))) return
  const scratch = mkdtempSync(join(root, 'node_modules', '.reeve-build-'))
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', join(scratch, 'dist')], { cwd: root })
  try {
    renameSync(dist, join(scratch, 'old'))
  } catch {
    // There was none, or the other test file has just taken it away.
  }
  try {
    renameSync(join(scratch, 'dist'), dist)
  } catch {
    // The other test file was faster, with the same result.
  }
  rmSync(scratch, { recursive: true, force: true })
}

/** When the newest file of a folder was written; 0 where there is none. */
function newest(folder: string): number {
  try {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    return Math.max(0, ...files.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs))
  } catch {
    return 0
  }
}
