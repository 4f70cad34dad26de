/**
 * The invariants of one committed transaction (kind X). A commit holds many commands, so they are replayed here on the
 * few facts that matter, from the rows before it; where that walk and the rows after it differ, an invariant is broken.
 */
import { isDeepStrictEqual } from 'node:util'
import type { JobId, OwnerId } from '../../../../src/job/lease.ts'
import { backoffDefault, backoffFloorMs } from '../../../../src/job/retry-policy.ts'
import { isPublishedEdge, isTerminal, type JobState } from '../../../../src/job/state.ts'
import type { ClaimCommand } from '../../../../src/persistence/commands/claim.ts'
import type { Answer, Command } from '../../../../src/persistence/commands/command.ts'
import type { ReclaimCommand } from '../../../../src/persistence/commands/reclaim.ts'
import type { SettleAnswer, SettleCommand } from '../../../../src/persistence/commands/settle.ts'
import type { JobColumns } from '../../../../src/persistence/sqlite/job-columns.ts'
import { scripts } from '../../../support/sim/handlers.ts'
import type { History } from '../../../support/sim/history.ts'
import type { Snapshot } from '../../../support/sim/rig.ts'
import type { Committed, World } from '../../../support/sim/world.ts'

/** What is known of a job between two commands of one commit. */
export interface Walked {
  state: JobState
  token: number
  attempt: number
  runAt: number
  owner: OwnerId | null
  cancelRequested: boolean
  suspect: boolean
  readonly kind: string
}

/** What earlier commits have done, so that a repeated command is told from a new one. */
export class Ledger {
  readonly claimed = new Set<string>()
  readonly settled = new Map<string, SettleAnswer>()
}

/** A settle that took effect, for the invariants that are about attempts. */
export interface Settled {
  readonly command: SettleCommand
  readonly answer: Extract<SettleAnswer, { type: 'settled' }>
  readonly was: Readonly<Walked>
}

type Check = (invariant: string, holds: boolean, detail: string) => void

/** Replays a commit and judges it; returns the settles that took effect. */
export function judgeCommit(
  { history, time }: World,
  ledger: Ledger,
  { owner, commands, answers, before, after }: Committed,
): Settled[] {
  const check: Check = (invariant, holds, detail) =>
    history.check(invariant, holds, () => `${detail}\n${JSON.stringify({ owner, commands, answers }, null, 1)}`)
  const walk = new Walk(before, ledger, check, time.wallMax)
  commands.forEach((command, index) => walk.step(command, answers[index] as Answer, history))
  walk.compare(before, after)
  return walk.settled
}

/** What a reclaim is judged by. */
interface Death {
  readonly history: History
  /** How many jobs the dead owner held. */
  readonly held: number
}

class Walk {
  readonly settled: Settled[] = []
  readonly #jobs = new Map<JobId, Walked>()
  readonly #touched = new Set<JobId>()
  readonly #ledger: Ledger
  readonly #check: Check
  readonly #wallMax: number

  constructor(before: Snapshot, ledger: Ledger, check: Check, wallMax: number) {
    this.#wallMax = wallMax
    this.#ledger = ledger
    this.#check = check
    for (const row of before.values()) this.#jobs.set(row.id, walkedOf(row))
  }

  step(command: Command, answer: Answer, history: History): void {
    if (command.type === 'enqueue') {
      for (const { id, runAt, kind } of command.jobs) {
        if (this.#jobs.has(id)) continue
        this.#jobs.set(id, { ...newborn, runAt, kind })
        this.#touched.add(id)
      }
    } else if (command.type === 'claim' && answer.type === 'claimed') {
      for (const { id, token } of answer.jobs) this.#claim(id, token, command, history)
    } else if (command.type === 'settle' && (answer.type === 'settled' || answer.type === 'stale')) {
      this.#settle(command, answer)
    } else if (command.type === 'cancel') {
      this.#cancel(command.jobId, answer)
    } else if (command.type === 'reclaim' && answer.type === 'reclaimed') {
      const held = [...this.#jobs.values()].filter(({ state, owner }) => state === 'running' && owner === command.owner).length
      for (const { id, state } of answer.jobs) this.#reclaim(id, state, command, { history, held })
    } else if (command.type === 'renew' && answer.type === 'renewed') {
      for (const lease of command.leases) {
        const job = this.#jobs.get(lease.jobId)
        const held = job?.state === 'running' && job.token === lease.token && job.owner === command.owner
        this.#check('renew-by-holder', held !== answer.lost.includes(lease), `renewal of ${lease.jobId}/${lease.token}`)
        if (held) this.#touched.add(lease.jobId)
      }
    } else if (command.type === 'key-value' && answer.type === 'key-value' && 'lease' in command.by) {
      const { jobId, token } = command.by.lease
      const job = this.#jobs.get(jobId)
      const held = job?.state === 'running' && job.token === token
      const said = answer.outcome.type
      this.#check('settle-is-compare-and-set', held === (said !== 'stale'), `a value written by ${jobId}/${token}: ${said}`)
    } else if (command.type === 'progress') this.#touched.add(command.lease.jobId)
  }

  #claim(id: JobId, token: number, { owner, now }: ClaimCommand, history: History): void {
    const key = `${id}/${token}`
    const job = this.#jobs.get(id)
    if (job === undefined || this.#ledger.claimed.has(key)) return
    this.#ledger.claimed.add(key)
    this.#touched.add(id)
    const isDue = job.state === 'ready' && job.runAt <= now && now <= this.#wallMax
    this.#check('claim-precondition', isDue, `claim of ${key}, ${job.state} until ${job.runAt}, at ${now}`)
    this.#check('token-grows-on-claim', token === job.token + 1, `claim of ${key} after token ${job.token}`)
    Object.assign(job, { state: 'running', token, attempt: job.attempt + 1, owner })
    const others = this.#besides(job, history)
    const suspects = [job, ...others].filter(({ suspect }) => suspect)
    this.#check('suspects-run-alone', suspects.length === 0 || others.length === 0, `claim of ${key} beside ${others.length}`)
  }

  /** What else the owner of a job holds. A job on a thread that cannot be ended may stay for ever; nothing waits for it. */
  #besides(job: Walked, history: History): Walked[] {
    const condemned = new Set(history.runs.filter((run) => run.condemned).map((run) => `${run.jobId}/${run.token}`))
    return [...this.#jobs].flatMap(([id, other]) => {
      const held = other.state === 'running' && other.owner === job.owner && !condemned.has(`${id}/${other.token}`)
      return held && other !== job ? [other] : []
    })
  }

  #settle(command: SettleCommand, answer: SettleAnswer): void {
    const { lease, settlement } = command
    const key = `${lease.jobId}/${lease.token}`
    const job = this.#jobs.get(lease.jobId)
    const first = this.#ledger.settled.get(key)
    if (first !== undefined) {
      // A store remembers the last settle of a job only: once a later attempt has settled, this one is stale.
      const later = [...this.#ledger.settled.keys()].some((other) => other.startsWith(`${lease.jobId}/`) && other !== key)
      const same = isDeepStrictEqual(first, answer) || (later && answer.type === 'stale')
      return this.#check('settle-again-same-answer', same, `second settle of ${key}`)
    }
    const holds = job?.state === 'running' && job.token === lease.token
    this.#check('settle-is-compare-and-set', holds === (answer.type === 'settled'), `settle of ${key}: ${answer.type}`)
    if (job === undefined || answer.type !== 'settled') return
    this.#ledger.settled.set(key, answer)
    this.#touched.add(lease.jobId)
    this.settled.push({ command, answer, was: { ...job } })
    this.#check('published-edges-only', isPublishedEdge(job.state, answer.state), `${key} ${job.state} to ${answer.state}`)
    if (settlement.type === 'fail' && answer.state === 'ready') {
      const floorMs = backoffFloorMs(job.attempt, backoffOf(job.kind))
      this.#check('backoff-floor', answer.runAt >= command.now + floorMs, `retry of ${key} at ${answer.runAt}`)
    }
    const givenBack = answer.state === 'ready' && (settlement.type === 'snooze' || settlement.type === 'interrupted')
    const suspect = job.suspect && answer.state === 'ready' && settlement.type === 'interrupted'
    Object.assign(job, { state: answer.state, attempt: job.attempt - (givenBack ? 1 : 0), owner: null, suspect })
    if (answer.state === 'ready') job.runAt = answer.runAt
  }

  #cancel(id: JobId, answer: Answer): void {
    const job = this.#jobs.get(id)
    if (job === undefined) return
    this.#touched.add(id)
    if (answer.type === 'cancelled' && job.state !== 'cancelled') {
      this.#check('cancel-waiting-is-immediate', job.state === 'ready', `cancel of ${id} while ${job.state}`)
      job.state = 'cancelled'
    }
    if (answer.type === 'cancel-requested') {
      this.#check(
        'cancel-running-decides-once',
        job.state === 'running' && job.owner === answer.owner,
        `cancel of ${id} while ${job.state}`,
      )
      job.cancelRequested = true
    }
  }

  #reclaim(id: JobId, state: JobState, { owner, now }: ReclaimCommand, { history, held }: Death): void {
    const job = this.#jobs.get(id)
    if (job === undefined || job.owner !== owner) return
    this.#touched.add(id)
    const live = history.live().find((run) => run.owner === owner && run.jobId === id)
    this.#check('one-live-attempt', live === undefined, `${id} was taken back from ${owner}, whose thread runs it`)
    this.#check('published-edges-only', isPublishedEdge('running', state), `reclaim of ${id} to ${state}`)
    // A death that several jobs were held at is charged to none of them, and ends none.
    const shared = held > 1
    this.#check('neighbours-are-innocent', !shared || state !== 'discarded', `${id} was one of ${held} and is ${state}`)
    const attempt = job.attempt - (shared && state === 'ready' ? 1 : 0)
    Object.assign(job, { state, attempt, owner: null, runAt: Math.min(job.runAt, now), suspect: state === 'ready' })
  }

  /** The rows after the commit are what the walk came to, and a row that no command meant is as it was. */
  compare(before: Snapshot, after: Snapshot): void {
    for (const [id, job] of this.#jobs) {
      const row = after.get(id)
      this.#check('conservation', row !== undefined, `${id} has vanished`)
      if (row === undefined) continue
      const now = walkedOf(row)
      this.#check('published-edges-only', now.state === job.state, `${id} is ${now.state}, not ${job.state}`)
      this.#check('token-grows-on-claim', now.token === job.token, `${id} has token ${now.token}, not ${job.token}`)
      this.#check('attempts-exact', now.attempt === job.attempt, `${id} is at attempt ${now.attempt}, not ${job.attempt}`)
      this.#check('holder-stable', now.owner === job.owner, `${id} is held by ${now.owner}, not ${job.owner}`)
      const was = before.get(id)
      if (was === undefined) continue
      this.#check('birth-immutable', isDeepStrictEqual(birthOf(row), birthOf(was)), `the birth of ${id}`)
      if (isTerminal(was.state)) this.#check('terminal-is-final', isDeepStrictEqual(row, was), `${id} was ${was.state}`)
      if (!this.#touched.has(id)) this.#check('settle-is-compare-and-set', isDeepStrictEqual(row, was), `${id} changed`)
    }
    for (const id of after.keys()) this.#check('conservation', this.#jobs.has(id), `${id} came from nowhere`)
  }
}

const newborn: Walked = {
  state: 'ready',
  token: 0,
  attempt: 0,
  runAt: 0,
  owner: null,
  cancelRequested: false,
  suspect: false,
  kind: '',
}

function walkedOf(row: JobColumns): Walked {
  const { state, token, attempt, owner, kind, suspect } = row
  return {
    state,
    token,
    attempt,
    owner,
    kind,
    suspect: suspect === 1,
    runAt: row.run_at,
    cancelRequested: row.cancel_requested === 1,
  }
}

function birthOf({ id, kind, queue, input, created_at }: JobColumns) {
  return { id, kind, queue, input, created_at }
}

function backoffOf(kind: string) {
  return scripts[kind]?.settings?.backoff ?? backoffDefault
}
