/** Enqueue: jobs become rows, all or none. A command that may be refused half-way runs in a savepoint of its own. */
import type { Database } from 'better-sqlite3'
import type { EnqueueAnswer, EnqueueCommand, EnqueueRefusal, Placement } from '../commands/enqueue.ts'
import { Admission } from './admission.ts'
import { prepareAdmit } from './admit.ts'
import { prepareDepthBound } from './depth-bound.ts'

/** Prepares the command for a connection. `repeated` says that an earlier run of it may have taken effect. */
export function prepareEnqueue(db: Database): (command: EnqueueCommand, repeated: boolean) => EnqueueAnswer {
  const admit = prepareAdmit(db)
  const overfull = prepareDepthBound(db)
  const [begin, undo, release] = ['SAVEPOINT enqueue', 'ROLLBACK TO enqueue', 'RELEASE enqueue'].map((sql) => db.prepare(sql))

  const admitAll = ({ jobs, now, depthMax }: EnqueueCommand, repeated: boolean): EnqueueAnswer => {
    const admission = new Admission(now, repeated)
    const placed: Placement[] = []
    for (const [index, job] of jobs.entries()) {
      const admitted = admit(job, admission)
      if ('reason' in admitted) return refused(admitted)
      const { id: jobId, kind, result } = admitted
      if (result !== 'new') placed.push({ index, jobId, kind, result })
    }
    // What adds nothing (a key that is held, a repeated command) fits into any queue.
    const full = depthMax === undefined || admission.inserted === 0 ? null : overfull(jobs, depthMax)
    if (full !== null) return refused(full)
    const { moved } = admission
    return { type: 'enqueued', ...(placed.length > 0 && { placed }), ...(moved.length > 0 && { moved }) }
  }

  return (command, repeated) => {
    if (!mayBeRefused(command)) return admitAll(command, repeated)
    begin?.run()
    const answer = admitAll(command, repeated)
    if (answer.type === 'refused') undo?.run()
    release?.run()
    return answer
  }
}

function mayBeRefused({ jobs, depthMax }: EnqueueCommand): boolean {
  return depthMax !== undefined || jobs.some(({ unique, after }) => unique !== undefined || after !== undefined)
}

function refused(refusal: EnqueueRefusal): EnqueueAnswer {
  return { type: 'refused', refusal }
}
