/** What a reload of the jobs came to, kind by kind. Pure. */
import { isDeepStrictEqual } from 'node:util'
import type { FailedFile, LoadedJobs } from './loaded-jobs.ts'

/** The kinds by what became of them. */
export interface ReloadReport {
  readonly added: readonly string[]
  /** Their file has another text, or they have other options. What a file imports does not count. */
  readonly changed: readonly string[]
  /** Those whose file does not load any more included. */
  readonly removed: readonly string[]
  /** All files that do not load now. */
  readonly failed: readonly FailedFile[]
}

/** Compares what was loaded before with what is now. */
export function reportOf(before: LoadedJobs, now: LoadedJobs): ReloadReport {
  const kinds = Object.keys(now.catalog)
  const isNew = (kind: string) => !Object.hasOwn(before.catalog, kind)
  return {
    added: kinds.filter(isNew),
    changed: kinds.filter((kind) => !isNew(kind) && !isDeepStrictEqual(essenceOf(before, kind), essenceOf(now, kind))),
    removed: Object.keys(before.catalog).filter((kind) => !Object.hasOwn(now.catalog, kind)),
    failed: now.failed,
  }
}

function essenceOf({ prints, catalog }: LoadedJobs, kind: string): unknown {
  return [prints[kind], catalog[kind]]
}
