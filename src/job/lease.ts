/** Who may write for a running job, and until when. Pure types; the compare-and-set itself is SQL. */

/** The id of a job: a UUID of version 7, made by the client, so that an enqueue can be repeated safely. */
export type JobId = string & { readonly __brand: 'JobId' }

/** The fencing token of one claim: an integer that only grows for the life of a job. */
export type LeaseToken = number & { readonly __brand: 'LeaseToken' }

/** One incarnation of a supervisor thread: new at every start, never a host name or a process id. */
export type OwnerId = string & { readonly __brand: 'OwnerId' }

/** The right to write for one attempt of one job. A write under an older token changes nothing. */
export interface Lease {
  readonly jobId: JobId
  readonly token: LeaseToken
}
