/**
 * The runtime on one screen: which parts there are, in which order they start (and, reversed, stop), and what the
 * failure of each one means. A part may use only what stands above it.
 */
import type { PoolListener } from '../threads/thread-pool.ts'
import { onCondemned } from './on-condemned.ts'
import type { ChildName, Services } from './services.ts'
import type { Child } from './supervisor.ts'

const nothing = () => undefined

/** The children of a runtime, in starting order. */
export function childrenOf(services: Services): readonly (Child & { readonly name: ChildName })[] {
  const {
    store,
    committer,
    eventLog,
    lockLine,
    notifier,
    reclaimer,
    pool,
    reloader,
    limitKeeper,
    jobWatch,
    dispatcher,
    waker,
    leaseKeeper,
    scheduler,
    watcher,
    caretaker,
    pruner,
  } = services
  return [
    { name: 'store', onFailure: 'escalate', start: nothing, stop: () => store.close() },
    { name: 'presence', onFailure: 'escalate', start: nothing, stop: () => releaseUnlessCondemned(services) },
    { name: 'committer', onFailure: 'escalate', start: nothing, stop: () => committer.finish() },
    { name: 'event-log', onFailure: 'alone', start: () => eventLog.start(), stop: () => eventLog.stop() },
    { name: 'lock-line', onFailure: 'alone', start: () => lockLine.look(), stop: () => lockLine.stop() },
    { name: 'notifier', onFailure: 'alone', start: () => notifier.recheck(), stop: () => notifier.flush() },
    { name: 'reclaimer', onFailure: 'alone', start: () => reclaimer.start(), stop: () => reclaimer.stop() },
    { name: 'job-watch', onFailure: 'alone', start: () => jobWatch.start(), stop: () => jobWatch.stop() },
    {
      name: 'pool',
      onFailure: 'escalate',
      start: async () => reloader.opened(await pool.open(poolListener(services))),
      stop: () => pool.close({ leaveCondemned: true }),
    },
    { name: 'limits', onFailure: 'escalate', start: () => limitKeeper.start(), stop: nothing },
    { name: 'dispatcher', onFailure: 'escalate', start: () => dispatcher.start(), stop: () => dispatcher.stop() },
    { name: 'waker', onFailure: 'alone', start: () => waker.start(), stop: () => waker.stop() },
    { name: 'lease-keeper', onFailure: 'alone', start: () => leaseKeeper.start(), stop: () => leaseKeeper.stop() },
    { name: 'scheduler', onFailure: 'alone', start: () => scheduler.start(), stop: () => scheduler.stop() },
    { name: 'watcher', onFailure: 'alone', start: () => watcher.start(), stop: () => watcher.stop() },
    { name: 'caretaker', onFailure: 'alone', start: () => caretaker.start(), stop: () => caretaker.stop() },
    { name: 'pruner', onFailure: 'alone', start: () => pruner.start(), stop: () => pruner.stop() },
  ]
}

function poolListener(services: Services): PoolListener {
  const { dispatcher, reloader, logger, trouble, failed } = services
  return {
    threadIdle: () => dispatcher.fill(),
    threadUnusable(error) {
      logger.error({ error }, 'a worker thread could not load the jobs module; it is replaced')
      trouble(error)
    },
    filesFailed: (files) => reloader.filesFailed(files),
    resourceFailed(error) {
      // All threads have the same variables.
      if (error.code === 'REEVE_ENV_INVALID' && !reloader.isNews(error.message)) return
      logger.error({ error }, 'what a kind needs on a worker could not be made, or unmade')
      trouble(error)
    },
    lateFault({ jobId, kind, error }) {
      logger.error({ jobId, kind, error }, 'a job that had ended threw late; its thread is replaced')
      trouble(error)
    },
    condemnedChanged: (condemned, capReached) => onCondemned(services, condemned, capReached),
    failed: (error) => failed('pool', error),
  }
}

/** A thread that lives may still run a job: as long as it does, nobody may take that job for a dead one's. */
function releaseUnlessCondemned({ pool, presence }: Services): void {
  if (pool.condemnedCount() === 0) presence.release()
}
