/** Key-value state as plainly as can be: a map. Beside the model of jobs, which it asks only whose lease a command carries. */
import type { KeyValueOperation, KeyValueOutcome, StoredEntry } from '../../../src/job/key-value.ts'
import type { KeyValueAnswer, KeyValueCommand } from '../../../src/persistence/commands/key-value.ts'
import type { JobRow } from '../../../src/persistence/job-row.ts'

/** A value, as a third party sees it. */
export interface KeyValueRow extends StoredEntry {
  readonly kind: string
}

interface Kept extends KeyValueRow {
  /** Every write that the key has had since it was made. */
  readonly writes: readonly string[]
}

/** All values of all kinds. */
export class ModelKeyValues {
  #rows: Kept[] = []

  /** Runs a command and answers as a store must. */
  run({ by, operation }: KeyValueCommand, jobs: readonly JobRow[]): KeyValueAnswer {
    const kind = 'kind' in by ? by.kind : kindOfLease(by.lease, jobs)
    return { type: 'key-value', outcome: kind === null ? { type: 'stale' } : this.#run(kind, operation) }
  }

  /** In order of kind and key. */
  rows(): KeyValueRow[] {
    return this.#rows.map(({ writes, ...row }) => row).toSorted((a, b) => (a.kind + a.key < b.kind + b.key ? -1 : 1))
  }

  #run(kind: string, operation: KeyValueOperation): KeyValueOutcome {
    if (operation.type === 'list') return this.#list(kind, operation)
    const { key } = operation
    const row = this.#rows.find((each) => each.kind === kind && each.key === key)
    const stored = row === undefined ? null : { value: row.value, version: row.version }
    if (operation.type === 'get') return { type: 'found', stored }
    if (operation.type === 'set' && row?.writes.includes(operation.version)) return { type: 'written' }
    const { expected } = operation
    const gone = operation.type === 'delete' && row === undefined
    if (expected !== undefined && !gone && (row?.version ?? null) !== expected) return { type: 'conflict', stored }
    this.#rows = this.#rows.filter((each) => each !== row)
    if (operation.type === 'delete') return { type: 'written' }
    const { value, version } = operation
    this.#rows.push({ kind, key, value, version, writes: [...(row?.writes ?? []), version] })
    return { type: 'written' }
  }

  #list(kind: string, { prefix, after, limit }: Extract<KeyValueOperation, { type: 'list' }>): KeyValueOutcome {
    const all = this.rows().filter((row) => row.kind === kind && row.key.startsWith(prefix) && row.key > (after ?? ''))
    const entries = all.slice(0, limit).map(({ key, value, version }) => ({ key, value, version }))
    return { type: 'listed', entries, more: all.length > limit }
  }
}

function kindOfLease({ jobId, token }: { jobId: string; token: number }, jobs: readonly JobRow[]): string | null {
  return jobs.find((job) => job.id === jobId && job.token === token && job.state === 'running')?.kind ?? null
}
