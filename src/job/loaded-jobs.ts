/** What a worker found when it loaded the jobs, as plain data. */
import type { ErrorRecord } from './error-record.ts'
import type { KindCatalog } from './kind.ts'

/** A file of a folder of jobs that did not load. Its kind is unknown until it does. */
export interface FailedFile {
  /** Its whole path. */
  readonly file: string
  readonly kind: string
  readonly error: ErrorRecord
}

/** The kinds that were loaded, and the files that were not. */
export interface LoadedJobs {
  readonly catalog: KindCatalog
  /** By kind: another text of its file has another print. */
  readonly prints: Readonly<Record<string, string>>
  /** Always empty where one module has all kinds. */
  readonly failed: readonly FailedFile[]
}
