/** From the options of kinds, queues and resources to the limits that a store keeps, and those that go with each claim. Pure. */
import { optionInvalid } from '../errors.ts'
import type { KindCatalog } from './kind.ts'
import type { Capacity, KindLimits, LimitSettings, LocalLimit, Ring } from './limits.ts'

/** Limits of a kind or a queue, or the capacity of a resource, over all processes on the file. Null is no limit. */
export interface GlobalLimit {
  readonly scope: 'kind' | 'queue' | 'resource'
  readonly name: string
  readonly concurrency: number | null
  readonly groupConcurrency: number | null
  readonly rate: Ring | null
  readonly groupRate: Ring | null
  /** Of a kind: the resource that each of its running jobs takes one of. */
  readonly resource: string | null
  /** Of a kind: the locks that each of its running jobs holds. */
  readonly exclusive: readonly string[] | null
}

/** What a runtime's options say of limits. */
export interface LimitSources {
  readonly catalog: KindCatalog
  readonly queueLimits: Readonly<Record<string, LimitSettings>>
  readonly resources: Readonly<Record<string, Capacity>>
}

/** All limits of one runtime. */
export interface DeclaredLimits {
  readonly global: readonly GlobalLimit[]
  readonly local: readonly LocalLimit[]
}

/**
 * Sorts the limits by their reach.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the kind whose resource no option of the runtime declares.
 */
export function declaredLimits({ catalog, queueLimits, resources }: LimitSources): DeclaredLimits {
  const kinds = Object.entries(catalog).flatMap(([kind, { limits }]) => (limits === undefined ? [] : [{ kind, limits }]))
  const declared = Object.keys(resources)
  for (const { kind, limits } of kinds) {
    if (limits.resource === undefined || Object.hasOwn(resources, limits.resource)) continue
    const there = declared.length === 0 ? 'there are none' : `there are ${declared.join(', ')}`
    throw optionInvalid(`${kind}.resource`, limits.resource, `a resource of createRuntime({ resources }); ${there}`)
  }
  const kindsOf = (resource: string) => kinds.filter(({ limits }) => limits.resource === resource).map(({ kind }) => kind)
  const isGlobal = (resource: string | undefined) => resource !== undefined && resources[resource]?.reach === 'global'
  return {
    global: [
      ...kinds.map(({ kind, limits }) =>
        globalLimit('kind', kind, limits, isGlobal(limits.resource) ? (limits.resource ?? null) : null),
      ),
      ...Object.entries(queueLimits).map(([queue, limits]) => globalLimit('queue', queue, limits)),
      ...Object.entries(resources).map(([resource, concurrency]) => globalLimit('resource', resource, { concurrency })),
    ].filter(limitsSomething),
    local: [
      ...kinds.flatMap(({ kind, limits }) => localLimit([kind], null, limits.concurrency)),
      ...Object.entries(queueLimits).flatMap(([queue, { concurrency }]) => localLimit(null, queue, concurrency)),
      ...Object.entries(resources).flatMap(([resource, capacity]) => localLimit(kindsOf(resource), null, capacity)),
    ],
  }
}

function globalLimit(scope: GlobalLimit['scope'], name: string, limits: KindLimits, resource: string | null = null): GlobalLimit {
  const concurrency = limits.concurrency?.reach === 'global' ? limits.concurrency.limit : null
  const { groupConcurrency, rate, groupRate, exclusive } = limits
  return {
    ...{ scope, name, concurrency, resource, exclusive: exclusive ?? null },
    ...{ groupConcurrency: groupConcurrency ?? null, rate: rate ?? null, groupRate: groupRate ?? null },
  }
}

function limitsSomething({ scope, name, ...limits }: GlobalLimit): boolean {
  return Object.values(limits).some((limit) => limit !== null)
}

function localLimit(kinds: readonly string[] | null, queue: string | null, capacity: Capacity | undefined): LocalLimit[] {
  return capacity?.reach === 'local' ? [{ kinds, queue, limit: capacity.limit }] : []
}
