/** Stores that are wrong about circuit breakers. */
import { type Bend, bent, type WrongStore } from './bent-store.ts'

const afterClaims = (sql: string): Bend => ({
  after: (commands, _, db) => void (commands.some(({ type }) => type === 'claim') && db.exec(sql)),
})

/** All of them. */
export const wrongBreakers: readonly WrongStore[] = [
  bent(
    'takes jobs of a kind whose breaker is open',
    ['breaker-respected', 'limit-respected'],
    { command: (command) => (command.type === 'claim' ? { ...command, breakers: [] } : command) },
    'gated',
  ),
  bent(
    'lets any number through a half-open breaker',
    // The end of a trial that is not known for one says nothing, so the breaker may stay open as well.
    ['limit-respected', 'breaker-respected', 'no-starvation'],
    afterClaims('UPDATE reeve_breakers SET trial = NULL, trial_token = NULL'),
    'gated',
  ),
]
