/** The first task of a worker, thread or child process: it loads the jobs module and says what is in it. */
import { encodeError } from '../error-codec.ts'
import type { HelloReply, HelloSettings } from '../protocol.ts'
import { type Desk, type Line, openDesk, post } from './desk.ts'
import { watchFaults } from './faults.ts'
import { catalogOf, loadJobs } from './load-jobs.ts'
import { checkEnvironments } from './needs.ts'
import { giveWay } from './priority.ts'

/** Loads the jobs module. The desk takes assignments only where the reply is `ok`. */
export async function hello(settings: HelloSettings, line: Line): Promise<{ readonly desk: Desk; readonly reply: HelloReply }> {
  const desk = openDesk(settings, line)
  // Before the user's module runs, so that its own stray errors find a handler.
  watchFaults(desk)
  giveWay(settings.niceness)
  try {
    const loading = (file: string) => post(desk, { type: 'loading', file })
    const { jobs, prints, failed } = await loadJobs(settings.jobsUrl, { skip: settings.skip, loading })
    desk.kinds = jobs.kinds
    desk.failed = failed
    await checkEnvironments(desk)
    return { desk, reply: { ok: true, catalog: catalogOf(jobs), prints, failed } }
  } catch (error) {
    return { desk, reply: { ok: false, error: encodeError(error) } }
  }
}
