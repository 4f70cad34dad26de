/**
 * Supervisors with one mistake each. The property must reject every one of them, by the invariant that the mistake breaks;
 * a property that lets one through checks nothing.
 */

import type { Command } from '../../../src/persistence/commands/command.ts'
import { loadSqlite } from '../../../src/persistence/sqlite/load-sqlite.ts'
import { createSqliteStore } from '../../../src/persistence/sqlite/store.ts'
import type { Store } from '../../../src/persistence/store.ts'
import type { Run, RunListener } from '../../../src/threads/thread-pool.ts'
import type { Rig } from '../../support/sim/rig.ts'
import { SimPool, type SimThread } from '../../support/sim/sim-pool.ts'
import type { Wrong } from '../../support/sim/wrong.ts'

/** A mistake, and the invariants of which any one may be the first to say so. */
export interface WrongSupervisor {
  readonly mistake: string
  readonly breaks: readonly string[]
  readonly wrong: Wrong
}

type Start = Parameters<SimPool['start']>

/** A run that can be called over before its thread has exited; nothing that the thread says later is passed on. */
function cutShort(listener: RunListener): { readonly heard: RunListener; readonly cut: () => void } {
  let over = false
  const end: RunListener['over'] = (how) => {
    if (!over) listener.over(how)
    over = true
  }
  return {
    heard: {
      progress: (fraction, note) => over || listener.progress(fraction, note),
      log: (record) => over || listener.log(record),
      timing: (word) => over || listener.timing(word),
      ask: (question, request) => over || listener.ask(question, request),
      outcome: (outcome) => over || listener.outcome(outcome),
      over: end,
    },
    cut: () => end({ type: 'exited', exitCode: 1, error: null, terminated: true }),
  }
}

/** Calls a run over when its thread was told to die, as one does who settles on an abort. */
class HastyPool extends SimPool {
  override start(assignment: Start[0], listener: RunListener): Run {
    const { heard, cut } = cutShort(listener)
    const run = super.start(assignment, heard)
    return {
      threadId: run.threadId,
      pid: run.pid,
      handedAt: () => run.handedAt(),
      startedAt: () => run.startedAt(),
      condemn: () => run.condemn(),
      requestStop: (reason) => run.requestStop(reason),
      answer: (question, answer) => run.answer(question, answer),
      terminate: () => {
        run.terminate()
        this.options.later('hasty end', cut)
      },
    }
  }
}

/** Gives up what runs when the jobs are loaded anew, and forgets that the old threads live on. */
class ImpatientPool extends SimPool {
  readonly #cuts: (() => void)[] = []

  override start(assignment: Start[0], listener: RunListener): Run {
    const { heard, cut } = cutShort(listener)
    this.#cuts.push(cut)
    return super.start(assignment, heard)
  }

  override recycle(): ReturnType<SimPool['recycle']> {
    for (const cut of this.#cuts.splice(0)) this.options.later('given up', cut)
    return super.recycle()
  }
}

/** Opens the replacement of a thread when the thread is told to die, as a pool with an abort signal does. */
class GenerousPool extends SimPool {
  override terminating(_thread: SimThread): void {
    this.openThread()
  }
}

/** Never ends a thread. */
class MildPool extends SimPool {
  override start(assignment: Start[0], listener: RunListener): Run {
    const run = super.start(assignment, listener)
    return {
      threadId: run.threadId,
      pid: run.pid,
      handedAt: () => run.handedAt(),
      startedAt: () => run.startedAt(),
      condemn: () => run.condemn(),
      requestStop: (reason) => run.requestStop(reason),
      answer: (question, answer) => run.answer(question, answer),
      terminate: () => undefined,
    }
  }
}

/** Takes a result for the word of the run before it as well. */
class MixedUpPool extends SimPool {
  #last: RunListener | undefined

  override start(assignment: Start[0], listener: RunListener): Run {
    const before = this.#last
    this.#last = listener
    const outcome: RunListener['outcome'] = (said) => {
      if (said.type === 'returned') before?.outcome(said)
      listener.outcome(said)
    }
    return super.start(assignment, { ...listenerOf(listener), outcome })
  }
}

function listenerOf(listener: RunListener): RunListener {
  return {
    progress: (fraction, note) => listener.progress(fraction, note),
    log: (record) => listener.log(record),
    timing: (word) => listener.timing(word),
    ask: (question, request) => listener.ask(question, request),
    outcome: (outcome) => listener.outcome(outcome),
    over: (end) => listener.over(end),
  }
}

/** Changes commands on their way to the store. */
function rewriting(rewrite: (command: Command) => Command): Wrong {
  return { store: (store) => ({ ...store, commit: (commands, options) => store.commit(commands.map(rewrite), options) }) }
}

/** What a commit would answer, from a copy of the file in memory. */
async function foresee(rig: Rig, commands: readonly Command[]) {
  const copy = rig.db.serialize()
  // A copy in memory has no log: the header must not say so.
  copy.fill(1, 18, 20)
  const store = createSqliteStore(new (loadSqlite())(copy))
  try {
    return await store.commit(commands)
  } finally {
    await store.close()
  }
}

/** Answers at once what the commit will come to, and commits afterwards. */
function hastyStore(type: Command['type']) {
  return (store: Store, rig: Rig): Store => ({
    ...store,
    async commit(commands, options) {
      const written = store.commit(commands, options)
      if (!commands.every((command) => command.type === type)) return written
      written.catch(() => undefined)
      return foresee(rig, commands)
    },
  })
}

/** All mistakes. */
export const wrongSupervisors: readonly WrongSupervisor[] = [
  {
    mistake: 'starts jobs before the claim is committed',
    breaks: ['nothing-dispatched-before-commit'],
    wrong: { store: hastyStore('claim') },
  },
  {
    mistake: 'acknowledges an enqueue before it is committed',
    breaks: ['conservation'],
    wrong: { store: hastyStore('enqueue') },
  },
  {
    mistake: 'settles when a thread was told to die, not when it has exited',
    breaks: ['one-live-attempt', 'no-word-from-the-dead'],
    wrong: { pool: (options) => new HastyPool(options) },
  },
  {
    mistake: 'gives up what runs when the jobs are loaded anew',
    breaks: ['one-live-attempt', 'no-word-from-the-dead', 'timeout-stops'],
    wrong: { pool: (options) => new ImpatientPool(options) },
  },
  {
    mistake: 'gives a slot away before its thread has exited',
    breaks: ['limit-respected'],
    wrong: { pool: (options) => new GenerousPool(options) },
  },
  { mistake: 'never ends a thread', breaks: ['timeout-stops'], wrong: { pool: (options) => new MildPool(options) } },
  {
    mistake: 'takes the result of one run for that of another',
    breaks: ['no-word-from-the-dead', 'one-live-attempt'],
    wrong: { pool: (options) => new MixedUpPool(options) },
  },
  {
    mistake: 'takes back the jobs of an owner that lives',
    breaks: ['one-live-attempt', 'nothing-dispatched-before-commit'],
    wrong: { presence: (presence) => ({ ...presence, isDead: (owner) => owner !== presence.owner }) },
  },
  {
    mistake: 'never takes back the jobs of the dead',
    breaks: ['timeout-stops', 'cancel-is-delivered'],
    wrong: { presence: (presence) => ({ ...presence, isDead: () => false }) },
  },
  {
    mistake: 'charges the attempts that a drain interrupts',
    breaks: ['drain-keeps', 'attempts-exact'],
    wrong: rewriting((command) =>
      command.type === 'settle' && command.settlement.type === 'interrupted'
        ? { ...command, settlement: { type: 'fail', delayMs: 1_000, error: { name: 'Error', message: 'interrupted' } } }
        : command,
    ),
  },
  {
    mistake: 'records an interrupted attempt as cancelled',
    breaks: ['drain-keeps', 'attempts-exact'],
    wrong: rewriting((command) =>
      command.type === 'settle' && command.settlement.type === 'interrupted'
        ? { ...command, settlement: { type: 'cancel' } }
        : command,
    ),
  },
  {
    mistake: 'retries without the wait that it promised',
    breaks: ['backoff-floor'],
    wrong: rewriting((command) =>
      command.type === 'settle' && command.settlement.type === 'fail'
        ? { ...command, settlement: { ...command.settlement, delayMs: 0 } }
        : command,
    ),
  },
  {
    mistake: 'claims jobs that are not due',
    breaks: ['claim-precondition'],
    wrong: {
      store: (store) => ({
        ...store,
        commit: (commands, options) =>
          store.commit(
            commands.map((command) => (command.type === 'claim' ? { ...command, now: command.now + 60_000 } : command)),
            options,
          ),
      }),
    },
  },
  {
    mistake: 'does not tell a running attempt of its cancel',
    breaks: ['cancel-is-delivered'],
    wrong: { services: ({ dispatcher }) => (dispatcher.cancel = () => undefined) },
  },
  {
    mistake: 'does not look for cancels that other processes asked for',
    breaks: ['cancel-is-delivered', 'drain-keeps'],
    wrong: { store: (store) => ({ ...store, cancelRequests: async () => [] }) },
  },
  {
    mistake: 'lets the leases of busy threads run out',
    breaks: ['lease-kept'],
    wrong: { services: ({ leaseKeeper }) => (leaseKeeper.renew = async () => undefined) },
  },
  {
    mistake: 'takes leases that it renewed for lost',
    breaks: ['drain-keeps', 'timeout-stops', 'lease-kept', 'attempts-exact', 'wake-not-lost', 'cancel-is-delivered'],
    wrong: {
      services: ({ leaseKeeper, dispatcher }) => {
        leaseKeeper.renew = async () => dispatcher.leasesLost(dispatcher.leases())
      },
    },
  },
  {
    mistake: 'sleeps through the due time of a retry',
    breaks: ['wake-not-lost'],
    wrong: { services: ({ dispatcher }) => wakeOnlyAtStart(dispatcher) },
  },
  {
    mistake: 'says that it is drained while it runs',
    breaks: ['drain-keeps'],
    wrong: {
      services: ({ dispatcher }) => {
        const drain = dispatcher.drain.bind(dispatcher)
        dispatcher.drain = async () => void drain()
      },
    },
  },
]

function wakeOnlyAtStart(dispatcher: { wake(): void }): void {
  const wake = dispatcher.wake.bind(dispatcher)
  let woken = false
  dispatcher.wake = () => {
    if (!woken) wake()
    woken = true
  }
}
