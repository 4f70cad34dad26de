/** The processes of a chaos run, and what is done to them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Shim } from '../crash/syscalls/shim.ts'
import { holdingWriteLock } from '../runtime/audit.ts'
import type { AppOptions } from './app-options.ts'
import { Member } from './member.ts'
import { type Blow, type BlowName, blowNames, firstRoles } from './plan.ts'

const daySeconds = 86_400

/** What the processes share. `shim` is null where disks cannot be made to fail, nor the wall clock to step. */
export interface CrowdOptions {
  readonly database: string
  readonly history: string
  readonly seed: number
  readonly shim: Shim | null
}

/** Keeps every place taken: whoever goes is followed by another. */
export class Crowd {
  readonly blows: Record<BlowName, number> = Object.fromEntries(blowNames.map((name) => [name, 0])) as Record<BlowName, number>
  /** Processes that ended in a way that nobody meant. */
  readonly fallen: string[] = []
  /** How often the processes told of which error. */
  readonly told = new Map<string, number>()
  started = 0
  readonly #options: CrowdOptions
  readonly #members: Member[]
  /** Blows that still last. */
  readonly #lasting = new Set<Promise<void>>()
  #isDiskStruck = false

  constructor(options: CrowdOptions) {
    this.#options = options
    this.#members = firstRoles.map((role) => this.#start({ role, seed: options.seed, durability: 'process' }))
  }

  /** Strikes, and counts it where it hit. Those that last go on while the next ones come. */
  async strike(blow: Blow): Promise<void> {
    await sleep(blow.pauseMs)
    const { victim } = blow
    const member = this.#members[victim]
    if (member === undefined) return
    if (member.isGone) this.#members[victim] = this.#start(blow.next)
    else if (await this.#hit(member, blow)) this.blows[blow.type]++
  }

  /** Every fault is over and every process gone: half of them closed, half of them killed. */
  async end(): Promise<void> {
    await Promise.all(this.#lasting)
    await Promise.all(this.#members.map((member, place) => (place % 2 === 0 ? member.kill() : closedOrKilled(member))))
  }

  /** A last process brings everything to its end; true where it could. */
  async finish(boundMs: number): Promise<boolean> {
    // A job that was put off while the clock was ahead is due by then.
    this.#options.shim?.control.stepWall(2 * daySeconds)
    const last = this.#start({ role: 'finisher', seed: 0, durability: 'process' })
    await Promise.race([last.ended(), sleep(boundMs)])
    const { finished } = last
    await (finished ? last.close() : last.kill())
    return finished
  }

  #start(given: Pick<AppOptions, 'role' | 'seed' | 'durability'>): Member {
    const { database, history, shim } = this.#options
    const member = new Member({ database, history, name: `p${++this.started}`, ...given }, shim?.env ?? {})
    void member.fell.then((how) => {
      if (how !== null) this.fallen.push(how)
      for (const what of member.told) this.told.set(what, (this.told.get(what) ?? 0) + 1)
    })
    return member
  }

  /** False where it cannot be done here or now. */
  async #hit(member: Member, { type, ms, victim, next }: Blow): Promise<boolean> {
    const replace = () => {
      this.#members[victim] = this.#start(next)
    }
    switch (type) {
      case 'kill':
        await member.kill()
        replace()
        return true
      case 'close':
        replace()
        this.#last(closedOrKilled(member))
        return true
      case 'supervisor':
        if (member.isOpen) member.killSupervisor()
        return member.isOpen
      case 'stop':
        member.signal('SIGSTOP')
        this.#last(sleep(ms).then(() => member.signal('SIGCONT')))
        return true
      case 'lock':
        this.#last(holdingWriteLock(this.#options.database, () => sleep(ms)).catch(lockedOut))
        return true
      case 'full':
      case 'io':
        return this.#strikeDisk(type, ms)
      case 'wall':
        return this.#stepWall(ms)
    }
  }

  #strikeDisk(type: 'full' | 'io', ms: number): boolean {
    const control = this.#options.shim?.control
    if (control === undefined || this.#isDiskStruck) return false
    this.#isDiskStruck = true
    control.set(type === 'full' ? 'ENOSPC' : 'EIO', { lasting: true })
    const over = sleep(ms).then(() => {
      control.clear()
      this.#isDiskStruck = false
    })
    this.#last(over)
    return true
  }

  #stepWall(ms: number): boolean {
    const control = this.#options.shim?.control
    control?.stepWall(daySeconds)
    if (control !== undefined) this.#last(sleep(ms).then(() => control.stepWall(0)))
    return control !== undefined
  }

  #last(blow: Promise<void>): void {
    this.#lasting.add(blow)
    void blow.finally(() => this.#lasting.delete(blow))
  }
}

/** One that was stopped, or whose thread hangs, would never close. */
async function closedOrKilled(member: Member): Promise<void> {
  member.signal('SIGCONT')
  await Promise.race([member.close(), sleep(10_000)])
  if (!member.isGone) await member.kill()
}

/** Another process held the lock for longer than this one waits: then nobody was struck. */
function lockedOut(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY'))) throw error
}
