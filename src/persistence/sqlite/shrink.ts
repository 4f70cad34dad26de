/** Gives free pages of the file back to the file system, a few at a time. */
import type { Database } from 'better-sqlite3'

/** What is kept for the jobs to come: pages that are used again at once need not be cut off and asked for anew. */
const keptPagesMin = 1_000
const keptPart = 0.1
const pagesAtOnce = 200

/** Prepares it for a connection; it answers whether there is more to give back. Does nothing in a file that was made otherwise. */
export function prepareShrink(db: Database): () => boolean {
  const spare = () => {
    const free = db.pragma('freelist_count', { simple: true }) as number
    const pages = db.pragma('page_count', { simple: true }) as number
    return free - Math.max(keptPagesMin, Math.ceil(pages * keptPart))
  }
  const incremental = 2
  return () => {
    if (db.pragma('auto_vacuum', { simple: true }) !== incremental) return false
    const pages = Math.min(spare(), pagesAtOnce)
    if (pages <= 0) return false
    db.pragma(`incremental_vacuum(${pages})`)
    if (spare() > 0) return true
    // The file itself gets smaller at a checkpoint only, and a pragma is no change that the next one would know of.
    db.pragma('wal_checkpoint(PASSIVE)')
    return false
  }
}
