/** Key-value state: one row a key, in the namespace of a kind; a handler's access is fenced by its lease. */
import type { Database } from 'better-sqlite3'
import type { KeyValueOperation, KeyValueOutcome, StoredEntry } from '../../job/key-value.ts'
import type { StoredPayload } from '../../job/payload.ts'
import type { KeyValueAnswer, KeyValueCommand } from '../commands/key-value.ts'
import { payloadToColumn } from './job-columns.ts'

/** A page of a list ends once its values are this large together. */
const pageBytesMax = 4 * 1024 * 1024
/** How much of the names of earlier writes is kept: some ten of them. */
const earlierMax = 600

interface Row {
  readonly value: StoredPayload
  readonly version: string
  readonly earlier: string
}

/** Prepares the command for a connection. */
export function prepareKeyValue(db: Database): (command: KeyValueCommand) => KeyValueAnswer {
  const kindOfLease = db
    .prepare<[string, number], string>("SELECT kind FROM reeve_jobs WHERE id = ? AND state = 'running' AND token = ?")
    .pluck()
  const read = db.prepare<[string, string], Row>(
    'SELECT value, version, earlier FROM reeve_key_values WHERE kind = ? AND key = ?',
  )
  const write = db.prepare(`
    INSERT INTO reeve_key_values (kind, key, value, version, earlier, updated_at) VALUES (@kind, @key, @value, @version, '', @now)
    ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, version = excluded.version,
      earlier = substr(version || ' ' || earlier, 1, ${earlierMax}), updated_at = excluded.updated_at
  `)
  const remove = db.prepare<[string, string]>('DELETE FROM reeve_key_values WHERE kind = ? AND key = ?')
  const page = db.prepare<[string, string, string, number], StoredEntry>(`
    SELECT key, value, version FROM reeve_key_values WHERE kind = ? AND key >= ? AND key > ? ORDER BY key LIMIT ?
  `)

  const set = (kind: string, operation: Extract<KeyValueOperation, { type: 'set' }>, now: number): KeyValueOutcome => {
    const { key, value, version, expected } = operation
    const row = read.get(kind, key)
    // An earlier run of this command took effect, and maybe others have written since: it must not take effect twice.
    if (row !== undefined && wasWritten(row, version)) return { type: 'written' }
    if (expected !== undefined && (row?.version ?? null) !== expected) return conflict(row)
    write.run({ kind, key, value: payloadToColumn(value), version, now })
    return { type: 'written' }
  }

  const list = (kind: string, { prefix, after, limit }: Extract<KeyValueOperation, { type: 'list' }>): KeyValueOutcome => {
    const entries: StoredEntry[] = []
    let bytes = 0
    for (const entry of page.iterate(kind, prefix, after ?? '', limit + 1)) {
      if (!entry.key.startsWith(prefix)) break
      if (entries.length === limit || bytes > pageBytesMax) return { type: 'listed', entries, more: true }
      entries.push(entry)
      bytes += entry.value?.length ?? 0
    }
    return { type: 'listed', entries, more: false }
  }

  const run = (kind: string, operation: KeyValueOperation, now: number): KeyValueOutcome => {
    switch (operation.type) {
      case 'get': {
        const row = read.get(kind, operation.key)
        return { type: 'found', stored: storedOf(row) }
      }
      case 'set':
        return set(kind, operation, now)
      case 'delete': {
        const { key, expected } = operation
        const row = expected === undefined ? undefined : read.get(kind, key)
        // What is gone is as it should be, whoever removed it.
        if (row !== undefined && row.version !== expected) return conflict(row)
        remove.run(kind, key)
        return { type: 'written' }
      }
      case 'list':
        return list(kind, operation)
    }
  }

  return ({ by, operation, now }) => {
    const kind = 'kind' in by ? by.kind : kindOfLease.get(by.lease.jobId, by.lease.token)
    return { type: 'key-value', outcome: kind === undefined ? { type: 'stale' } : run(kind, operation, now) }
  }
}

function wasWritten({ version, earlier }: Row, by: string): boolean {
  return version === by || ` ${earlier} `.includes(` ${by} `)
}

function conflict(row: Row | undefined): KeyValueOutcome {
  return { type: 'conflict', stored: storedOf(row) }
}

function storedOf(row: Row | undefined): { readonly value: StoredPayload; readonly version: string } | null {
  return row === undefined ? null : { value: row.value, version: row.version }
}
