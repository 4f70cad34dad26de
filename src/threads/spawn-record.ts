/** Keeps the record of the programs that handlers start by `ctx.spawn`, and ends them. */
import type { ChildRegister } from './child-register.ts'
import { killGroup, startTimeOf } from './process-group.ts'
import type { SpawnOwner } from './thread-run.ts'

/** The programs of all runs of a pool. */
export class SpawnRecord implements SpawnOwner {
  readonly #register: ChildRegister

  constructor(register: ChildRegister) {
    this.#register = register
  }

  spawned(pid: number): void {
    void this.#record(pid)
  }

  spawnedEnded(pid: number, how: 'ended' | 'kill'): void {
    if (how === 'kill') killGroup(pid)
    this.#register.childEnded(pid)
  }

  async #record(pid: number): Promise<void> {
    try {
      await this.#register.childStarted({ pid, startTime: startTimeOf(pid) })
    } catch {
      // It runs already, and is killed with its attempt all the same; only if this process dies too it is missed.
    }
  }
}
