/**
 * What a kind needs on a worker before its handlers run, made once each: its environment, its database, and what its `setup`
 * makes. Kinds share what they declare by the very same object.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { ReeveError } from '../../errors.ts'
import type { AnyJobDefinition } from '../../job/definition.ts'
import { environmentOf } from '../../job/environment.ts'
import type { KindDatabase, KindDatabaseOptions } from '../../job/kind-database.ts'
import type { WorkerResource } from '../../job/worker-resource.ts'
import { encodeError } from '../error-codec.ts'
import { type Desk, post } from './desk.ts'

/** What a handler is given of it. */
export interface Provisions {
  readonly resource: unknown
  readonly env: unknown
  readonly sqlite: KindDatabase | undefined
}

/** What of an open database the worker sees. */
interface OpenDatabase {
  readonly db: KindDatabase
  readonly isOpen: boolean
  rollBack(): boolean
  close(): void
}

const needByDeclaration = new WeakMap<object, WorkerResource>()

/** All that has to be there before a handler of the kind runs, in the order in which it is made. */
export function needsOf({ options, resource }: AnyJobDefinition): readonly WorkerResource[] {
  const { env, sqlite } = options
  const needs = [env && environmentNeed(env), sqlite && databaseNeed(sqlite), resource]
  return needs.filter((need) => need !== undefined)
}

/** Gathers what was made. */
export function provisionsOf({ options, resource }: AnyJobDefinition, { resources }: Desk): Provisions {
  const { env, sqlite } = options
  const open = sqlite && (resources.get(databaseNeed(sqlite)) as OpenDatabase | undefined)
  return { resource: resources.get(resource), env: env && resources.get(environmentNeed(env)), sqlite: open?.db }
}

/** Checks the environment of all kinds at once, so that what is missing is told at the start and not at the first job. */
export async function checkEnvironments(desk: Desk): Promise<void> {
  for (const [kind, { options }] of Object.entries(desk.kinds)) {
    if (options.env === undefined) continue
    const need = environmentNeed(options.env)
    if (desk.resources.has(need) || desk.resources.refusal(need) !== null) continue
    const failure = await desk.resources.make(need, kind)
    if (failure !== null) post(desk, { type: 'resource-failed', error: encodeError(failure.error) })
  }
}

/**
 * Ends the transaction that a handler has left open: it would hold the lock of the file, and take in what the next handler
 * writes. The error says so; null where there is nothing to end.
 */
export function endTransaction({ options }: AnyJobDefinition, desk: Desk, kind: string): ReeveError | null {
  if (options.sqlite === undefined) return null
  const need = databaseNeed(options.sqlite)
  const open = desk.resources.get(need) as OpenDatabase | undefined
  if (open === undefined) return null
  // A handler that closed its connection has closed that of the next one.
  if (!open.isOpen) desk.resources.forget(need)
  if (!open.rollBack()) return null
  const message = `A handler of kind '${kind}' ended with a transaction open on ctx.sqlite; it was rolled back. Use ctx.sqlite.transaction(…).`
  return new ReeveError('REEVE_TRANSACTION_OPEN', message, { kind })
}

function environmentNeed(schema: StandardSchemaV1): WorkerResource {
  return needOf(schema, () => ({
    setup: () => environmentOf(schema, process.env),
    teardown: undefined,
    self: schema,
    words: { what: 'environment', failed: 'is not valid' },
  }))
}

function databaseNeed(options: KindDatabaseOptions): WorkerResource {
  return needOf(options, () => ({
    async setup() {
      // Not with the worker: SQLite is loaded only where a kind asks for it.
      const { openKindDatabase } = await import('../../persistence/kind-database/open.ts')
      return openKindDatabase(options)
    },
    teardown: (open: OpenDatabase) => open.close(),
    self: options,
    words: { what: 'database', failed: 'cannot be used' },
  }))
}

function needOf(declaration: object, make: () => WorkerResource): WorkerResource {
  const known = needByDeclaration.get(declaration)
  if (known !== undefined) return known
  const need = make()
  needByDeclaration.set(declaration, need)
  return need
}
