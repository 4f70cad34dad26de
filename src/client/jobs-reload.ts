/** What a reload of the jobs came to, as the app sees it. */
import type { ReloadReport } from '../job/reload-report.ts'
import { reviveError } from '../threads/revive-error.ts'

/** The kinds by what became of them, and the files that do not load. */
export interface JobsReload {
  readonly added: readonly string[]
  /**
   * Their file has another text, or they have other options. Where one module has all kinds and another text, all of them; what a
   * file imports is loaded anew, too, and is not looked at here.
   */
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** Files of a folder that do not load now, by their whole path. Their kinds are unknown until they do. */
  readonly failed: readonly { readonly file: string; readonly error: Error }[]
}

/** Makes errors of records. */
export function reloadOf({ failed, ...kinds }: ReloadReport): JobsReload {
  return { ...kinds, failed: failed.map(({ file, error }) => ({ file, error: reviveError(error) })) }
}
