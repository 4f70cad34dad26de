/** Mistakes in what is done by hand, and in the history that tells of it. */
import type { Command } from '../../../src/persistence/commands/command.ts'
import type { PruneCommand } from '../../../src/persistence/commands/prune.ts'
import { type Bend, bent, forSettled, type WrongStore } from './bent-store.ts'

function forSteered(type: string, sql: string): Pick<Bend, 'after'> {
  return {
    after(commands, answers, db) {
      answers.forEach((answer, index) => {
        const command = commands[index]
        if (command?.type !== 'steer' || command.act.type !== type || answer.type !== 'steered') return
        for (const { id } of answer.jobs) db.prepare(sql).run(id)
      })
    },
  }
}

function prunes(commands: readonly Command[]): PruneCommand[] {
  return commands.filter((command) => command.type === 'prune')
}

/** Wrong stores of explicit retries, filters and histories. */
export const wrongSteering: readonly WrongStore[] = [
  bent('prunes a millisecond too early', ['prune-is-safe'], {
    command: (command) =>
      command.type === 'prune'
        ? { ...command, bounds: command.bounds.map((bound) => ({ ...bound, maxAgeMs: bound.maxAgeMs && bound.maxAgeMs - 1 })) }
        : command,
  }),
  bent('prunes by the last rule that matches, not the first', ['prune-is-safe', 'model'], {
    command: (command) => (command.type === 'prune' ? { ...command, bounds: command.bounds.toReversed() } : command),
  }),
  bent('prunes what lives', ['prune-is-safe'], {
    after: (commands, _, db) =>
      void (prunes(commands).length > 0 && db.exec("DELETE FROM reeve_jobs WHERE state = 'ready' OR state = 'running'")),
  }),
  bent(
    'resets the token at an explicit retry',
    ['token-grows-on-claim'],
    forSteered('retry', 'UPDATE reeve_jobs SET token = 0 WHERE id = ?'),
  ),
  bent(
    'keeps the request of a cancel at an explicit retry',
    ['terminal-is-final', 'cancel-running-decides-once'],
    forSteered('retry', 'UPDATE reeve_jobs SET cancel_requested = 1 WHERE id = ?'),
  ),
  bent(
    'keeps the charged attempts at an explicit retry',
    ['attempts-exact', 'terminal-is-final'],
    forSteered('retry', 'UPDATE reeve_jobs SET attempt = min(token, attempts_max - 1) WHERE id = ? AND attempts_max > 1'),
  ),
  bent(
    'loses the history at an explicit retry',
    ['history-tells-all', 'terminal-is-final'],
    forSteered('retry', 'DELETE FROM reeve_attempts WHERE job = (SELECT seq FROM reeve_jobs WHERE id = ?)'),
  ),
  bent(
    'forgets how an attempt failed',
    ['history-tells-all'],
    forSettled('fail', 'DELETE FROM reeve_attempts WHERE job = (SELECT seq FROM reeve_jobs WHERE id = ?)'),
  ),
  bent('retries by itself what is over', ['terminal-is-final'], {
    after: (commands, _, db) =>
      void (
        commands.some(({ type }) => type === 'claim') &&
        db.exec("UPDATE reeve_jobs SET state = 'ready', settled_at = NULL, result = NULL, attempt = 0 WHERE state = 'discarded'")
      ),
  }),
  bent('steers more than the filter means', ['steers-what-it-says', 'model'], {
    after: (commands, _, db) =>
      void (
        commands.some((command) => command.type === 'steer' && command.act.type === 'park') &&
        db.exec("UPDATE reeve_jobs SET state = 'parked', suspect = 0 WHERE state = 'ready'")
      ),
  }),
]
