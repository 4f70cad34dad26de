/** What is done when threads cannot be ended: nothing while they are replaced; past the cap the runtime claims no more, or ends. */
import { ReeveError } from '../errors.ts'
import { encodeError } from '../threads/error-codec.ts'
import type { Services } from './services.ts'

/** Called whenever the number of condemned threads has changed. */
export function onCondemned(
  { dispatcher, config, logger, committer, store, trouble }: Services,
  condemned: number,
  capReached: boolean,
): void {
  dispatcher.pause(capReached)
  if (!capReached) return
  const error = new ReeveError(
    'REEVE_THREADS_CONDEMNED',
    `${condemned} threads were told to terminate and are still alive in native code, more than the ${config.condemnedMax} that are replaced. Nothing is claimed until one of them exits; restart the process to be rid of them.`,
  )
  logger.fatal({ err: error, condemned }, 'too many threads cannot be ended; nothing more is claimed')
  trouble(encodeError(error))
  if (config.onCondemned === 'exit') void endProcess({ committer, store })
}

/** Nothing else ends a process with such a thread: even `process.exit` waits for it. What is committed stays. */
async function endProcess({ committer, store }: Pick<Services, 'committer' | 'store'>): Promise<void> {
  await committer.finish()
  await store.close()
  process.kill(process.pid, 'SIGKILL')
}
