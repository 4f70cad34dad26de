/** The tables that the demo prints. */

import { relative } from 'node:path'
import type { monitorEventLoopDelay } from 'node:perf_hooks'
import Table from 'cli-table3'
import type { Digest } from './jobs.ts'
import type { Misbehaviour } from './misbehave.ts'

const filesShown = 8
const nameWidth = 48
const plain = { head: [], border: [], compact: true }

/** The largest files, and the sum of all. */
export function digestTable(digests: readonly Digest[], folder: string): string {
  const table = new Table({
    head: ['file', 'bytes', 'gzip', 'brotli', 'words', 'SHA-256'],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'left'],
    style: plain,
  })
  const largest = digests.toSorted((a, b) => b.bytes - a.bytes).slice(0, filesShown)
  for (const digest of largest)
    table.push([shortName(relative(folder, digest.file)), ...amounts(digest), digest.sha256.slice(0, 12)])
  const sum = (of: (digest: Digest) => number) => digests.reduce((total, digest) => total + of(digest), 0)
  table.push([
    `all ${digests.length} files`,
    ...amounts({
      bytes: sum(({ bytes }) => bytes),
      gzipBytes: sum(({ gzipBytes }) => gzipBytes),
      brotliBytes: sum(({ brotliBytes }) => brotliBytes),
      words: sum(({ words }) => words),
    }),
    '',
  ])
  return table.toString()
}

/** How the jobs that do not behave went. */
export function misbehaviourTable(misbehaviours: readonly Misbehaviour[]): string {
  const table = new Table({ head: ['job', 'what it does', 'ended', 'attempts', 'code', 'and'], style: plain })
  for (const { kind, does, state, attempts, code, note } of misbehaviours) table.push([kind, does, state, attempts, code, note])
  return table.toString()
}

/** How long this thread's event loop was kept waiting while the jobs ran; a timer of 1 ms reads about 1 ms at rest. */
export function loopDelayLine(delay: ReturnType<typeof monitorEventLoopDelay>): string {
  const ms = (nanoseconds: number) => `${(nanoseconds / 1e6).toFixed(1)} ms`
  return `App thread meanwhile, event-loop delay: p50 ${ms(delay.percentile(50))}, p99 ${ms(delay.percentile(99))}, max ${ms(delay.max)}`
}

function amounts({ bytes, gzipBytes, brotliBytes, words }: Omit<Digest, 'file' | 'sha256'>): string[] {
  return [bytes, gzipBytes, brotliBytes, words].map((amount) => amount.toLocaleString('en'))
}

function shortName(name: string): string {
  return name.length <= nameWidth ? name : `…${name.slice(1 - nameWidth)}`
}
