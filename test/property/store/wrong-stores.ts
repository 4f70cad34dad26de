/**
 * Stores with one mistake each, such as people make, and the invariant that it breaks. Each is the real store with its
 * commands bent before they run, or its rows after.
 */
import type { Database } from 'better-sqlite3'
import type { JobId } from '../../../src/job/lease.ts'
import type { Answer } from '../../../src/persistence/commands/command.ts'
import { type Bend, bent, forSettled, settles, type WrongStore } from './bent-store.ts'
import { wrongBreakers } from './wrong-breakers.ts'
import { wrongGates } from './wrong-gates.ts'
import { wrongSteering } from './wrong-steering.ts'

function forClaimed(sql: string): Pick<Bend, 'after'> {
  return {
    after(_, answers, db) {
      for (const answer of answers) if (answer.type === 'claimed') for (const { id } of answer.jobs) db.prepare(sql).run(id)
    },
  }
}

function chargeAgain(answers: readonly Answer[], db: Database): void {
  for (const answer of answers) {
    if (answer.type !== 'reclaimed' || answer.jobs.length < 2) continue
    for (const { id } of answer.jobs)
      db.prepare("UPDATE reeve_jobs SET attempt = attempt + 1 WHERE id = ? AND state = 'ready'").run(id)
  }
}

function currentToken(db: Database, id: JobId): number {
  return db.prepare<[JobId], number>('SELECT token FROM reeve_jobs WHERE id = ?').pluck().get(id) ?? 0
}

function kindOf(db: Database, id: JobId): string {
  return db.prepare<[JobId], string>('SELECT kind FROM reeve_jobs WHERE id = ?').pluck().get(id) ?? ''
}

const flipPriorities = 'UPDATE reeve_jobs SET priority = -priority'

/** All of them. */
export const wrongStores: readonly WrongStore[] = [
  bent('settles by id only', ['settle-is-compare-and-set', 'attempts-exact', 'conservation'], {
    command: (command, db) =>
      command.type === 'settle'
        ? { ...command, lease: { ...command.lease, token: currentToken(db, command.lease.jobId) as typeof command.lease.token } }
        : command,
  }),
  bent('writes progress by id only', ['settle-is-compare-and-set'], {
    command: (command, db) =>
      command.type === 'progress'
        ? { ...command, lease: { ...command.lease, token: currentToken(db, command.lease.jobId) as typeof command.lease.token } }
        : command,
  }),
  bent('writes key-value state whoever holds the job', ['settle-is-compare-and-set'], {
    command: (command, db) =>
      command.type === 'key-value' && 'lease' in command.by
        ? { ...command, by: { kind: kindOf(db, command.by.lease.jobId) } }
        : command,
  }),
  bent('writes a value whatever version is there', ['model'], {
    command: (command) =>
      command.type === 'key-value' && command.operation.type === 'set'
        ? { ...command, operation: { ...command.operation, expected: undefined as never } }
        : command,
  }),
  bent('counts a repeated write twice', ['commit-unknown-safe', 'model'], {
    command: (command, _, repeated) =>
      command.type === 'key-value' && command.operation.type === 'set' && repeated
        ? { ...command, operation: { ...command.operation, version: `${command.operation.version} again` } }
        : command,
  }),
  bent('writes log lines by id only', ['settle-is-compare-and-set'], {
    command: (command, db) =>
      command.type === 'log'
        ? { ...command, lease: { ...command.lease, token: currentToken(db, command.lease.jobId) as typeof command.lease.token } }
        : command,
  }),
  bent('tells of no change', ['model'], {
    before: (_, db) => void db.exec('DROP TRIGGER IF EXISTS reeve_events_moved'),
  }),
  bent('keeps every log line', ['model'], {
    command: (command) => (command.type === 'log' ? { ...command, keep: 1_000 } : command),
  }),
  bent('renews by id only', ['renew-by-holder'], {
    command: (command, db) =>
      command.type === 'renew'
        ? {
            ...command,
            leases: command.leases.map((lease) => ({ ...lease, token: currentToken(db, lease.jobId) as typeof lease.token })),
          }
        : command,
  }),
  bent(
    'resets the token at a retry',
    ['token-grows-on-claim'],
    forSettled('fail', "UPDATE reeve_jobs SET token = 0 WHERE id = ? AND state = 'ready'"),
  ),
  bent('claims without looking at runAt', ['claim-precondition'], {
    command: (command) => (command.type === 'claim' ? { ...command, now: command.now + 1_000_000 } : command),
  }),
  bent('claims the lowest priority first', ['claim-order', 'birth-immutable'], {
    before: (commands, db) => void (commands.some(({ type }) => type === 'claim') && db.exec(flipPriorities)),
    after: (commands, _, db) => void (commands.some(({ type }) => type === 'claim') && db.exec(flipPriorities)),
  }),
  bent('answers a claim in any order', ['claim-order'], {
    answers: (answers) =>
      answers.map((answer) => (answer.type === 'claimed' ? { ...answer, jobs: answer.jobs.toReversed() } : answer)),
  }),
  bent('does not charge a claim', ['attempts-exact'], forClaimed('UPDATE reeve_jobs SET attempt = attempt - 1 WHERE id = ?')),
  bent(
    'charges what was interrupted by a drain',
    ['attempts-exact'],
    forSettled('interrupted', "UPDATE reeve_jobs SET attempt = attempt + 1 WHERE id = ? AND state = 'ready'"),
  ),
  bent(
    'charges a snooze',
    ['attempts-exact'],
    forSettled('snooze', "UPDATE reeve_jobs SET attempt = attempt + 1 WHERE id = ? AND state = 'ready'"),
  ),
  bent('ignores a cancel request at the settle', ['cancel-running-decides-once', 'settle-is-compare-and-set'], {
    before(commands, db) {
      for (const { lease } of settles(commands))
        db.prepare("UPDATE reeve_jobs SET cancel_requested = 0 WHERE id = ? AND state = 'running'").run(lease.jobId)
    },
  }),
  bent('retries at once, whatever the backoff', ['backoff-floor'], {
    command: (command) =>
      command.type === 'settle' && command.settlement.type === 'fail'
        ? { ...command, settlement: { ...command.settlement, delayMs: 0 } }
        : command,
  }),
  bent('retries past the last attempt', ['published-edges-only', 'attempts-exact', 'model'], {
    command: (command) =>
      command.type === 'settle' && command.settlement.type === 'fail'
        ? { ...command, settlement: { ...command.settlement, type: 'snooze' } }
        : command,
  }),
  bent("reclaims a live supervisor's jobs", ['holder-stable', 'attempts-exact'], {
    before(commands, db) {
      for (const command of commands) {
        if (command.type !== 'reclaim') continue
        db.prepare("UPDATE reeve_jobs SET owner = ? WHERE state = 'running'").run(command.owner)
      }
    },
  }),
  bent('takes the late word of the dead for a settle', ['settle-again-same-answer', 'model'], {
    after(commands, _, db) {
      if (commands.some(({ type }) => type === 'reclaim')) {
        db.exec("UPDATE reeve_jobs SET settled_token = token WHERE crashes > 0 AND state <> 'running'")
      }
    },
  }),
  bent(
    'takes as much of a group as there is',
    ['group-exclusive'],
    { command: (command) => (command.type === 'claim' ? { ...command, groupMax: null } : command) },
    'gated',
  ),
  bent('loses the last job of a batch', ['conservation'], {
    command: (command) =>
      command.type === 'enqueue' && command.jobs.length > 1 ? { ...command, jobs: command.jobs.slice(0, -1) } : command,
  }),
  bent('overwrites a job that is enqueued again', ['birth-immutable', 'terminal-is-final'], {
    after(commands, _, db) {
      for (const command of commands) {
        if (command.type !== 'enqueue') continue
        for (const { id } of command.jobs) db.prepare('UPDATE reeve_jobs SET created_at = ? WHERE id = ?').run(command.now, id)
      }
    },
  }),
  bent(
    'forgets which token settled',
    ['settle-again-same-answer', 'model'],
    forSettled('fail', 'UPDATE reeve_jobs SET settled_token = NULL WHERE id = ?'),
  ),
  bent('takes more jobs when a claim is repeated', ['commit-unknown-safe', 'model', 'claim-precondition'], {
    command: (command, _, repeated) =>
      command.type === 'claim' && repeated ? { ...command, claimNumber: command.claimNumber + 1_000_000 } : command,
  }),
  bent('cancels what was over', ['terminal-is-final'], {
    after(commands, _, db) {
      for (const command of commands) {
        if (command.type !== 'cancel') continue
        db.prepare("UPDATE reeve_jobs SET state = 'cancelled', result = NULL WHERE id = ? AND state = 'completed'").run(
          command.jobId,
        )
      }
    },
  }),
  bent('asks a waiting job to cancel itself', ['cancel-waiting-is-immediate'], {
    after(commands, answers, db) {
      answers.forEach((answer, index) => {
        const command = commands[index]
        if (command?.type !== 'cancel' || answer.type !== 'cancelled') return
        db.prepare("UPDATE reeve_jobs SET state = 'ready', settled_at = NULL WHERE id = ?").run(command.jobId)
      })
    },
  }),
  bent(
    'parks what a drain interrupted',
    ['published-edges-only'],
    forSettled('interrupted', "UPDATE reeve_jobs SET state = 'parked' WHERE id = ? AND state = 'ready'"),
  ),
  bent(
    'keeps a result of an attempt that failed',
    ['result-only-when-settled', 'settle-is-compare-and-set'],
    forSettled('fail', "UPDATE reeve_jobs SET result = '1' WHERE id = ? AND state = 'ready'"),
  ),
  bent('takes suspects beside others', ['suspects-run-alone'], {
    command: (command) => (command.type === 'claim' ? { ...command, alone: true } : command),
  }),
  bent('leaves suspects waiting for ever', ['suspects-run-alone'], {
    command: (command) => (command.type === 'claim' ? { ...command, alone: false } : command),
  }),
  bent('suspects nobody', ['neighbours-are-innocent'], {
    after: (commands, _, db) =>
      void (
        commands.some(({ type }) => type === 'reclaim') && db.exec("UPDATE reeve_jobs SET suspect = 0 WHERE state = 'ready'")
      ),
  }),
  bent('charges every neighbour of a crash', ['attempts-exact'], {
    after(commands, answers, db) {
      if (commands.some(({ type }) => type === 'reclaim')) chargeAgain(answers, db)
    },
  }),
  bent(
    'clears a suspect that was handed back',
    ['neighbours-are-innocent', 'settle-is-compare-and-set'],
    forSettled('interrupted', "UPDATE reeve_jobs SET suspect = 0 WHERE id = ? AND state = 'ready'"),
  ),
  ...wrongGates,
  ...wrongSteering,
  ...wrongBreakers,
  bent('never takes back the jobs of the dead', ['reclaim-takes-all'], {
    command: (command) => (command.type === 'reclaim' ? { ...command, owner: 'nobody' as typeof command.owner } : command),
  }),
]
