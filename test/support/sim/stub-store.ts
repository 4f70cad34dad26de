/** A store of which a test decides what each commit comes to, and which keeps what it was asked to commit. */
import { type ErrorCode, ReeveError } from '../../../src/errors.ts'
import type { Answer, Command } from '../../../src/persistence/commands/command.ts'
import type { Store } from '../../../src/persistence/store.ts'

/** One call of `commit`, waiting for its end. */
export interface PendingCommit {
  readonly commands: readonly Command[]
  readonly repeated: boolean
  answer(answers?: readonly Answer[]): void
  fail(code: ErrorCode): void
}

/** Only `commit`: what a committer needs. */
export class StubStore implements Pick<Store, 'commit'> {
  /** All calls so far, oldest first. */
  readonly commits: PendingCommit[] = []

  commit(commands: readonly Command[], { repeated = false } = {}): Promise<readonly Answer[]> {
    return new Promise((resolve, reject) => {
      this.commits.push({
        commands,
        repeated,
        answer: (answers = commands.map(() => ({ type: 'enqueued' }) as const)) => resolve(answers),
        fail: (code) => reject(new ReeveError(code, 'simulated')),
      })
    })
  }

  /** The last call. */
  get last(): PendingCommit {
    const last = this.commits.at(-1)
    if (last === undefined) throw new Error('nothing was committed')
    return last
  }
}

/** For actors that nobody asks for a lock. */
export const noLocks = {
  take: () => Promise.reject(new Error('No lock was to be asked for.')),
  release: () => Promise.reject(new Error('No lock was to be freed.')),
}

/** A committer for actors: it keeps what is submitted, and a test answers. */
export class StubCommitter {
  readonly submitted: { readonly command: Command; answer(answer: Answer): void; fail(error: unknown): void }[] = []

  readonly submit = (command: Command) =>
    // biome-ignore lint/suspicious/noExplicitAny: each caller knows which answer its own command has
    new Promise<any>((resolve, reject) => {
      this.submitted.push({ command, answer: resolve, fail: reject })
    })

  /** The commands of one type, oldest first. */
  of<T extends Command['type']>(
    type: T,
  ): (Extract<Command, { type: T }> & { answer(answer: Answer): void; fail(error: unknown): void })[] {
    return this.submitted
      .filter(({ command }) => command.type === type)
      .map(({ command, answer, fail }) => ({ ...(command as Extract<Command, { type: T }>), answer, fail }))
  }
}
