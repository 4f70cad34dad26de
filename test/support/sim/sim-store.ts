/**
 * The real store, seen through a network that may be slow or break: every commit runs, and every answer arrives, when
 * `later` says so. Between the two a process can die, and an answer can be lost (`REEVE_COMMIT_UNKNOWN`).
 */
import { ReeveError } from '../../../src/errors.ts'
import type { Answer, Command } from '../../../src/persistence/commands/command.ts'
import type { Store } from '../../../src/persistence/store.ts'
import type { Later } from './sim-clock.ts'

/** What goes wrong with the next commit: refused; not done, and nobody knows; done, and nobody knows. */
export type CommitFault = 'busy' | 'unknown-lost' | 'unknown-done'

export interface SimStoreOptions {
  readonly store: Store
  readonly later: Later
  readonly takeFault: () => CommitFault | undefined
  /** Runs a commit, and sees what it does. */
  readonly witness: (commands: readonly Command[], run: () => Promise<readonly Answer[]>) => Promise<readonly Answer[]>
}

/** Wraps a store for one simulated process. Closing it closes nothing: the connection belongs to the test. */
export function simStore({ store, later, takeFault, witness }: SimStoreOptions): Store {
  let closed = false
  const answered = <T>(label: string, answer: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      answer.then(
        (value) => later(label, () => resolve(value)),
        (error: unknown) => later(label, () => reject(error)),
      )
    })
  return {
    ...store,
    commit: (commands, options) =>
      new Promise((resolve, reject) => {
        later(`commit of ${commands.map(({ type }) => type).join(', ')}`, () => {
          const fault = takeFault()
          if (closed) reject(new ReeveError('REEVE_RUNTIME_CLOSED', 'The store is closed.'))
          else if (fault === 'busy') reject(new ReeveError('REEVE_DATABASE_BUSY', 'simulated'))
          else if (fault === 'unknown-lost') reject(unknownCommit())
          else {
            const run = witness(commands, () => store.commit(commands, options))
            answered('answer', fault === 'unknown-done' ? run.then(() => Promise.reject(unknownCommit())) : run).then(
              resolve,
              reject,
            )
          }
        })
      }),
    job: (id) => answered('read', store.job(id)),
    finished: (ids) => answered('read', store.finished(ids)),
    cancelRequests: (owner) => answered('read', store.cancelRequests(owner)),
    otherOwners: (owner) => answered('read', store.otherOwners(owner)),
    overdueOwners: (owner, now) => answered('read', store.overdueOwners(owner, now)),
    dueSchedules: (kinds, now) => answered('read', store.dueSchedules(kinds, now)),
    onWrite: () => null,
    enforces: store.enforces,
    breakers: (now) => store.breakers(now),
    pauses: (now) => store.pauses(now),
    checkpoint: () => answered('checkpoint', store.checkpoint()),
    async close() {
      closed = true
    },
  }
}

function unknownCommit(): ReeveError {
  return new ReeveError('REEVE_COMMIT_UNKNOWN', 'simulated')
}
