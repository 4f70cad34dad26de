/** Plays a program on a store and on the model, and holds one against the other after every step. */
import type { ClaimedJob } from '../../../src/persistence/commands/claim.ts'
import type { LockCommand, UnlockCommand } from '../../../src/persistence/commands/lock.ts'
import type { SqliteStore } from '../../../src/persistence/sqlite/store.ts'
import { ask, claim, enqueue, lease, newJob, ownerId, settle, start } from '../../support/store/commands.ts'
import { plainConnection } from '../../support/store/scratch.ts'
import { ModelLocks } from './model-locks.ts'
import type { LockStep } from './program.ts'

/** What a wrong store does to the commands of a right one. */
export interface Bend {
  readonly lock?: (command: LockCommand) => LockCommand
  readonly unlock?: (command: UnlockCommand, last: string | undefined) => UnlockCommand
}

/** Says what was promised and not kept. */
export class LockBroken extends Error {}

interface Held {
  readonly job: ClaimedJob
  readonly owner: string
}

/** Runs one program. `reached` collects what was seen, so that a run that saw nothing can be told. */
export async function playLocks(store: SqliteStore, steps: readonly LockStep[], bend: Bend, reached: Set<string>): Promise<void> {
  const player = new Player(store, bend, reached)
  await player.begin()
  for (const step of steps) await player.play(step)
}

let runs = 0

class Player {
  readonly #store: SqliteStore
  readonly #bend: Bend
  readonly #reached: Set<string>
  readonly #model = new ModelLocks()
  readonly #run = ++runs
  readonly #register: ReturnType<typeof plainConnection>
  #now = start
  #owners: string[] = []
  #alive = new Set<string>()
  #held: Held[] = []
  #over: Held[] = []
  #takings: { readonly name: string; readonly taking: string }[] = []
  #last: { readonly command: LockCommand; readonly holds: () => boolean } | undefined
  #count = 0
  #tokenMax = 0

  constructor(store: SqliteStore, bend: Bend, reached: Set<string>) {
    this.#store = store
    this.#bend = bend
    this.#reached = reached
    this.#register = plainConnection(store.file)
  }

  async begin(): Promise<void> {
    this.#register.exec('DELETE FROM reeve_locks; DELETE FROM reeve_jobs; DELETE FROM reeve_supervisors')
    for (const place of [0, 1]) this.#rise(place)
    await ask(this.#store, enqueue(...['x', 'y', 'z'].map((name) => newJob(`${name}${this.#run}`, { attemptsMax: 900 }))))
  }

  async play(step: LockStep): Promise<void> {
    switch (step.type) {
      case 'claim': {
        const owner = this.#owners[step.supervisor] as string
        const { jobs } = await ask(
          this.#store,
          claim({ owner: ownerId(owner), now: this.#now, limit: 1, alone: this.#held.length === 0 }),
        )
        this.#held.push(...jobs.map((job) => ({ job, owner })))
        break
      }
      case 'lock':
        await this.#lock(step)
        break
      case 'again':
        if (this.#last !== undefined) await this.#take(this.#last.command, this.#last.holds)
        break
      case 'unlock':
        await this.#unlock(step.pick)
        break
      case 'settle':
        await this.#settle(step.pick)
        break
      case 'die':
        await this.#die(step.supervisor)
        break
      case 'pass':
        this.#now += step.ms
    }
    for (const name of ['a', 'b']) await this.#compare(name)
  }

  async #lock({ name, by, pick, ttlMs }: Extract<LockStep, { type: 'lock' }>): Promise<void> {
    const taking = `t${this.#run}.${++this.#count}`
    const expiresAt = ttlMs === null ? null : this.#now + ttlMs
    const common = { type: 'lock', now: this.#now, name, taking, expiresAt } as const
    if (by === 'app') {
      const owner = this.#owners[pick % 2] as string
      return this.#take({ ...common, owner: ownerId(owner), lease: null }, () => this.#alive.has(owner))
    }
    const among = by === 'job' ? this.#held : this.#over
    const held = among[pick % Math.max(among.length, 1)]
    if (held === undefined) return
    const { job, owner } = held
    await this.#take({ ...common, owner: ownerId(owner), lease: lease(job.id, job.token) }, () => this.#held.includes(held))
  }

  async #take(command: LockCommand, holds: () => boolean): Promise<void> {
    this.#last = { command, holds }
    const at = { ...command, now: this.#now }
    const expected = command.lease === null && !holds() ? null : this.#model.verdict(at.name, at.taking, holds, this.#now)
    // An app whose supervisor is dead asks nobody.
    if (expected === null) return
    const before = this.#model.holder(at.name, this.#now)
    const { outcome } = await ask(this.#store, this.#bend.lock?.(at) ?? at)
    this.#reached.add(`lock ${outcome.type}`)
    if (outcome.type !== expected)
      throw new LockBroken(`lock-holder: ${at.taking} of ${at.name} was answered ${outcome.type}, not ${expected}`)
    if (outcome.type !== 'taken') return
    if (before?.taking === at.taking) this.#reached.add('lock repeated')
    else if (outcome.token <= this.#tokenMax) throw new LockBroken(`lock-token-grows: ${outcome.token} after ${this.#tokenMax}`)
    this.#tokenMax = Math.max(this.#tokenMax, outcome.token)
    if (before?.taking === at.taking) return
    this.#takings.push({ name: at.name, taking: at.taking })
    this.#model.note({ ...at, token: outcome.token, holds })
  }

  async #unlock(pick: number): Promise<void> {
    const taken = this.#takings.at(-1 - (pick % Math.max(this.#takings.length, 1)))
    if (taken === undefined) return
    const command: UnlockCommand = { type: 'unlock', ...taken }
    const last = this.#takings.findLast(({ name }) => name === taken.name)?.taking
    const { released } = await ask(this.#store, this.#bend.unlock?.(command, last) ?? command)
    this.#reached.add(`unlock ${released}`)
    this.#model.free(taken.name, taken.taking)
  }

  async #settle(pick: number): Promise<void> {
    const held = this.#held[pick % Math.max(this.#held.length, 1)]
    if (held === undefined) return
    const { job } = held
    await ask(this.#store, settle(lease(job.id, job.token), { type: 'snooze', delayMs: 0 }, this.#now))
    this.#held = this.#held.filter((other) => other !== held)
    this.#over.push(held)
  }

  async #die(place: number): Promise<void> {
    const owner = this.#owners[place] as string
    await ask(this.#store, { type: 'reclaim', now: this.#now, owner: ownerId(owner), crashesMax: 1_000 })
    this.#register.prepare('DELETE FROM reeve_supervisors WHERE owner = ?').run(owner)
    this.#alive.delete(owner)
    this.#over.push(...this.#held.filter((held) => held.owner === owner))
    this.#held = this.#held.filter((held) => held.owner !== owner)
    this.#rise(place)
    this.#reached.add('died')
  }

  #rise(place: number): void {
    const owner = `o${this.#run}.${++this.#count}`
    this.#register.prepare('INSERT INTO reeve_supervisors (owner, pid) VALUES (?, 1)').run(owner)
    this.#owners[place] = owner
    this.#alive.add(owner)
  }

  async #compare(name: string): Promise<void> {
    const expected = this.#model.holder(name, this.#now)?.token ?? null
    const found = (await this.#store.lockHolder(name, this.#now))?.token ?? null
    if (found !== expected) throw new LockBroken(`lock-holder: ${name} is held by ${found}, not ${expected}`)
  }
}
