/** What the numbers were measured on. */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { median } from './statistics.ts'

/** The machine and the versions. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly platform: string
  readonly disk: string
  /** How long the disk takes to make 4 KiB durable; the floor under every `'power'` number. */
  readonly syncMs: number
  readonly versions: Readonly<Record<'reeve' | 'node' | 'sqlite' | 'betterSqlite3' | 'piscina', string>>
}

/** Linux's magic numbers of file systems. */
const fileSystems: Readonly<Record<number, string>> = {
  61267: 'ext4',
  16914836: 'tmpfs (memory: a sync costs nothing here, so take no `power` number from it)',
  2435016766: 'btrfs',
  1481003842: 'xfs',
  2035054128: 'overlayfs',
}

/** Describes this machine, and the disk of `folder`. */
export function describeMachine(folder: string): Machine {
  const type = statfsSync(folder).type
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    platform: `${process.platform} ${release()} ${process.arch}`,
    disk: process.platform === 'linux' ? (fileSystems[type] ?? `0x${type.toString(16)}`) : 'not known',
    syncMs: measureSync(folder),
    versions: {
      reeve: versionOf('../package.json'),
      node: process.versions.node,
      sqlite: sqliteVersion(),
      betterSqlite3: versionOf('../node_modules/better-sqlite3/package.json'),
      piscina: versionOf('../node_modules/piscina/package.json'),
    },
  }
}

function versionOf(manifest: string): string {
  const { version } = JSON.parse(readFileSync(new URL(manifest, import.meta.url), 'utf8')) as { version: string }
  return version
}

function sqliteVersion(): string {
  const db = new Database(':memory:')
  try {
    return String(db.prepare('SELECT sqlite_version()').pluck().get())
  } finally {
    db.close()
  }
}

function measureSync(folder: string): number {
  const scratch = mkdtempSync(join(folder, 'reeve-bench-sync-'))
  const file = openSync(join(scratch, 'file'), 'w')
  const page = Buffer.alloc(4096, 1)
  const tries = Array.from({ length: 50 }, () => {
    const begunAt = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return performance.now() - begunAt
  })
  closeSync(file)
  rmSync(scratch, { recursive: true })
  return median(tries)
}
