/**
 * One process of the crash demo. The first to run enqueues the jobs and writes down which are acknowledged; whoever runs
 * after a crash finds that list and waits for the same jobs. Nothing else differs: recovery is not the app's work.
 */
import { existsSync } from 'node:fs'
import { type DemoRuntime, openRuntime, type RuntimeChoices } from './open-runtime.ts'
import { showProgress } from './progress.ts'
import { acknowledgedIds, keepAcknowledged, sessionFiles } from './session.ts'

/** The work of one process. */
export interface Work extends RuntimeChoices {
  readonly session: string
  readonly files: readonly string[]
}

/** Waits until every job is done, and tells the parent of each. Returns the exit code. */
export async function digestAll({ session, files, ...choices }: Work): Promise<number> {
  const { database } = sessionFiles(session)
  await using runtime = await openRuntime(database, choices)
  const ids = existsSync(sessionFiles(session).acknowledged)
    ? acknowledgedIds(session)
    : await enqueueAll(runtime, session, files)
  const progress = showProgress(ids.length)
  let done = 0
  await Promise.all(
    ids.map(async (id) => {
      const handle = await runtime.handle(id)
      await handle.result()
      progress.done()
      process.send?.({ done: ++done, of: ids.length })
    }),
  ).finally(() => progress.stop())
  return 0
}

async function enqueueAll(runtime: DemoRuntime, session: string, files: readonly string[]): Promise<readonly string[]> {
  const { starts } = sessionFiles(session)
  const handles = await runtime.enqueueMany(
    files.map((file) => ({ kind: 'digest' as const, input: { file, startsFile: starts } })),
  )
  const ids = handles.map(({ id }) => id)
  keepAcknowledged(session, ids)
  return ids
}
