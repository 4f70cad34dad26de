/** A pool of which a test decides when a thread is idle and what each run tells. */
import type { StopReason } from '../../../src/job/kind.ts'
import type { LoadedJobs } from '../../../src/job/loaded-jobs.ts'
import type { Answered } from '../../../src/threads/asks.ts'
import type { Assignment } from '../../../src/threads/protocol.ts'
import type { Run, RunListener, ThreadPool } from '../../../src/threads/thread-pool.ts'
import { monoAtStart } from './sim-clock.ts'

/** One run, in the hands of the test. */
export interface StubRun extends Run {
  readonly assignment: Omit<Assignment, 'run'>
  readonly listener: RunListener
  readonly stops: StopReason[]
  /** What its questions were answered with, by number. */
  readonly answers: Map<number, Answered>
  condemned: boolean
  terminated: boolean
  /** When its handler started; null until a test says so. */
  started: number | null
}

/** Threads without handlers. */
export class StubPool implements ThreadPool {
  readonly threads: number
  idle: number
  readonly runs: StubRun[] = []

  constructor(threads: number) {
    this.threads = threads
    this.idle = threads
  }

  async open(): Promise<LoadedJobs> {
    return { catalog: {}, prints: {}, failed: [] }
  }

  recycle(): Promise<LoadedJobs> {
    return this.open()
  }

  async close(): Promise<void> {}

  idleCount(): number {
    return this.idle
  }

  condemnedCount(): number {
    return this.runs.filter(({ condemned }) => condemned).length
  }

  threadCount(): number {
    return this.threads
  }

  start(assignment: Omit<Assignment, 'run'>, listener: RunListener): Run {
    if (this.idle === 0) throw new Error('No thread is idle.')
    this.idle--
    const run: StubRun = {
      ...{
        assignment,
        listener,
        stops: [],
        answers: new Map(),
        terminated: false,
        condemned: false,
        started: null,
        threadId: this.runs.length + 1,
      },
      pid: null,
      handedAt: () => monoAtStart,
      startedAt: () => run.started,
      requestStop: (reason) => void run.stops.push(reason),
      answer: (question, answer) => void run.answers.set(question, answer),
      terminate: () => {
        run.terminated = true
      },
      condemn: () => {
        run.condemned = true
      },
    }
    this.runs.push(run)
    return run
  }

  /** The run of a job. */
  run(jobId: string): StubRun {
    const run = this.runs.findLast(({ assignment }) => assignment.jobId === jobId)
    if (run === undefined) throw new Error(`${jobId} was not started`)
    return run
  }

  /** The handler returns. */
  returns(jobId: string): void {
    this.run(jobId).listener.outcome({ type: 'returned', result: '1' })
  }

  /** The thread is back. */
  frees(jobId: string): void {
    this.idle++
    this.run(jobId).listener.over({ type: 'done' })
  }

  /** The thread has exited, and its replacement is there. */
  exits(jobId: string): void {
    const run = this.run(jobId)
    this.idle++
    run.listener.over({ type: 'exited', exitCode: 1, error: null, terminated: run.terminated })
  }
}
