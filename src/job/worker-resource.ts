/** `setup` and `teardown` of a kind: what a worker makes once and gives to every handler of the kind as `ctx.resource`. */
import { ReeveError } from '../errors.ts'

/** How a kind's resource is made and unmade. */
export interface ResourceOptions<Resource> {
  /**
   * Makes what the handlers of the kind share on one worker (a model, a database handle): called once a worker thread or child
   * process, before its first job of the kind, and bounded by `loadTimeout`. Kinds with the very same function share what it
   * made. Where it fails, the job is put back uncharged and another one tries again soon.
   */
  setup?(): Resource | Promise<Resource>
  /**
   * Unmakes it when the worker is closed in good order: with the runtime, or because it is no longer needed. It has 5 s. A worker
   * that is terminated (a timeout, a crash) or that dies is gone without it.
   */
  teardown?(resource: Awaited<Resource>): unknown
}

/** A resource as a definition keeps it. Kinds with one `setup` share what it makes. */
export interface WorkerResource {
  readonly setup: () => unknown
  readonly teardown: ((resource: never) => unknown) | undefined
  /** The definition: a method keeps its `this`. */
  readonly self: object
  /** What it is called where it fails, if it is no `setup`; its own errors then keep their codes. */
  readonly words?: { readonly what: string; readonly failed: string }
}

/** The resource of a definition; undefined where it names neither function. It is checked once the kind's name is known. */
export function resourceOf(definition: ResourceOptions<never>): WorkerResource | undefined {
  const { setup, teardown } = definition
  if (setup === undefined && teardown === undefined) return undefined
  return { setup: setup as () => unknown, teardown, self: definition }
}

/**
 * Checks a resource, of this copy of the package or of another one.
 *
 * @throws ReeveError `REEVE_JOBS_INVALID` that names the kind.
 */
export function checkResource(resource: WorkerResource | undefined, kind: string): void {
  if (resource === undefined) return
  const { setup, teardown } = resource as { readonly setup?: unknown; readonly teardown?: unknown }
  if (typeof setup !== 'function')
    throw new ReeveError('REEVE_JOBS_INVALID', `The setup of kind '${kind}' is no function; a teardown needs one.`, { kind })
  if (teardown !== undefined && typeof teardown !== 'function')
    throw new ReeveError('REEVE_JOBS_INVALID', `The teardown of kind '${kind}' is no function.`, { kind })
}
