/**
 * Waits for a write to the database by the word of the operating system, so that an idle process need not ask again and again.
 * Linux only: there a watch (inotify) opens no descriptor of the file, whose closing would drop SQLite's locks.
 */
import { watch } from 'node:fs'

/** Calls `wrote` once, at the next write to the log of the database. Null where that cannot be watched. */
export function onWrite(file: string, wrote: () => void): (() => void) | null {
  if (process.platform !== 'linux') return null
  try {
    const watcher = watch(`${file}-wal`, { persistent: false })
    const end = () => {
      watcher.removeAllListeners('change')
      watcher.close()
    }
    watcher.on('change', () => {
      end()
      wrote()
    })
    // A watch that fails says nothing, as one that misses a write does.
    watcher.on('error', end)
    return end
  } catch {
    return null
  }
}
