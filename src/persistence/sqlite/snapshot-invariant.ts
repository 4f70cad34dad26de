/** An invariant as a query, for the lists of them. */

/** An invariant that one snapshot can decide. The name is that of the published list. */
export interface SnapshotInvariant {
  readonly name: string
  /** Returns one column, `violator`: the id of a job, or a description. */
  readonly sql: string
}
