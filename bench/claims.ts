/**
 * How the rate of claims depends on what waits: a million ready jobs in 1, 100 and 100,000 groups against ten thousand in as many of
 * those groups as they fill. On the store alone, without threads: one commit settles 16 jobs and claims the next 16. All stores are
 * open at once and take turns, so that each ratio is of one run; what was claimed is enqueued anew, unmeasured, so that what waits
 * stays as it is. Run it with `node bench/claims.ts`, or with `--quick` for a look.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JobId, Lease, OwnerId } from '../src/job/lease.ts'
import type { NewJob } from '../src/job/new-job.ts'
import type { ClaimAnswer } from '../src/persistence/commands/claim.ts'
import { openSqliteStore } from '../src/persistence/sqlite/open.ts'
import type { Store } from '../src/persistence/store.ts'
import { realRandom } from '../src/random.ts'
import { describeMachine } from './machine.ts'
import { median } from './statistics.ts'

const batch = 16
const isQuick = process.argv.includes('--quick')
const few = isQuick ? 1_000 : 10_000
const many = isQuick ? 20_000 : 1_000_000
const rounds = isQuick ? 50 : 600

/** One store with so many jobs in so many groups; 0 for none. */
class Backlog {
  readonly jobs: number
  readonly groups: number
  readonly #store: Store
  readonly #times: number[] = []
  #leases: Lease[] = []
  #ids = 0
  #claims = 0

  constructor(folder: string, jobs: number, groups: number) {
    this.jobs = jobs
    this.groups = groups
    this.#store = openSqliteStore({ database: join(folder, `${jobs}-${groups}.db`), durability: 'process' })
  }

  async fill(): Promise<void> {
    for (let left = this.jobs; left > 0; left -= 1_000) await this.#enqueue(Math.min(left, 1_000))
  }

  /** Settles what the last turn claimed and claims the next jobs, in one commit, which is measured. */
  async turn(): Promise<void> {
    const now = Date.now()
    const settles = this.#leases.map(
      (lease) => ({ type: 'settle', now, lease, settlement: { type: 'complete', result: 'null' } }) as const,
    )
    const options = {
      queues: null,
      queuesExcluded: [],
      localLimits: [],
      groupMax: null,
      breakers: [],
      attemptsMaxByKind: {},
      attemptsMaxDefault: 3,
    }
    const room = { limit: batch, ahead: 0, alone: false, leaseExpiresAt: now + 30_000 }
    const claim = { type: 'claim', now, owner: 'bench' as OwnerId, claimNumber: ++this.#claims, ...room, ...options } as const
    const begunAt = performance.now()
    const answers = await this.#store.commit([...settles, claim])
    this.#times.push(performance.now() - begunAt)
    const { jobs } = answers.at(-1) as ClaimAnswer
    this.#leases = jobs.map(({ id, token }) => ({ jobId: id, token }))
    await this.#enqueue(jobs.length)
  }

  /** Claims and settles in a second, by the median turn. */
  get jobsPerSecond(): number {
    return (batch * 1_000) / median(this.#times)
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  async #enqueue(count: number): Promise<void> {
    const now = Date.now()
    await this.#store.commit([{ type: 'enqueue', now, jobs: Array.from({ length: count }, () => this.#newJob(now)) }])
  }

  #newJob(runAt: number): NewJob {
    const number = ++this.#ids
    const group = this.groups === 0 ? null : `group-${number % this.groups}`
    const nothing = { timeoutMs: null, attemptsMax: null, backoff: null }
    return {
      id: realRandom.id(runAt) as JobId,
      kind: 'noop',
      queue: 'default',
      group,
      priority: 0,
      runAt,
      input: '{"n":0}',
      ...nothing,
    }
  }
}

/** Prints the rate of each backlog, and how it compares to a short one of its kind. */
async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-bench-claims-'))
  const open = (jobs: number, groups: number) => new Backlog(folder, jobs, groups)
  const pairs = [0, 1, 100, Math.floor(many / 10)].map(
    (groups) => [open(few, Math.min(groups, few)), open(many, groups)] as const,
  )
  const all = pairs.flat()
  try {
    for (const backlog of all) await backlog.fill()
    for (let round = 0; round < rounds; round++) {
      for (const backlog of round % 2 === 0 ? all : all.toReversed()) await backlog.turn()
    }
    const { cpu, versions } = describeMachine(folder)
    process.stdout.write(`${cpu}, Node ${versions.node}, SQLite ${versions.sqlite}; jobs claimed and settled in a second\n`)
    for (const [short, long] of pairs) process.stdout.write(`${lineOf(short, long)}\n`)
  } finally {
    for (const backlog of all) await backlog.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function lineOf(short: Backlog, long: Backlog): string {
  const rate = ({ jobs, groups, jobsPerSecond }: Backlog) =>
    `${jobs.toLocaleString('en')} in ${groups.toLocaleString('en')} groups: ${Math.round(jobsPerSecond).toLocaleString('en')}`
  return `${rate(long)}, against ${rate(short)}: ${(long.jobsPerSecond / short.jobsPerSecond).toFixed(2)}x`
}

await run()
