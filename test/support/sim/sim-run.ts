/** One run on a simulated thread: plays its kind's script and tells what a real thread would tell. */
import type { StopReason } from '../../../src/job/kind.ts'
import type { Answered } from '../../../src/threads/asks.ts'
import type { Assignment, HandlerOutcome } from '../../../src/threads/protocol.ts'
import type { Run, RunListener } from '../../../src/threads/thread-pool.ts'
import { type Script, scriptOf } from './handlers.ts'
import type { RunRecord } from './history.ts'
import type { SimPool, SimThread } from './sim-pool.ts'

/** A run. What it does by itself goes through `later`, so it can be overtaken by anything. */
export class SimRun implements Run {
  readonly record: RunRecord
  readonly threadId: number
  readonly pid = null
  readonly #pool: SimPool
  readonly #thread: SimThread
  readonly #listener: RunListener
  readonly #script: Script
  #dying = false
  /** What goes on when the question that is open is answered. */
  #answered: ((answer: Answered) => void) | null = null
  #asked = 0

  constructor(pool: SimPool, thread: SimThread, assignment: Omit<Assignment, 'run'>, listener: RunListener) {
    const { jobId, token, kind, timeoutMs } = assignment
    const { owner, clock, history } = pool.options
    this.threadId = thread.id
    this.#pool = pool
    this.#thread = thread
    this.#listener = listener
    this.#script = scriptOf(kind)
    this.record = {
      ...{ owner, threadId: thread.id, jobId, token, kind, timeoutMs, handedAt: clock.mono(), startedAt: null, stop: null },
      ...{ condemned: false, terminatedAt: null, endedAt: null, exitedAt: null, said: null, notes: [], freed: false },
    }
    history.runs.push(this.record)
    if (this.#script.start !== 'never' || token > 1) this.#later('starts', () => this.#begin())
  }

  handedAt(): number {
    return this.record.handedAt
  }

  startedAt(): number | null {
    return this.record.freed ? null : this.record.startedAt
  }

  requestStop(reason: StopReason): void {
    if (this.record.freed || this.record.stop !== null) return
    this.record.stop = { reason, at: this.#now() }
    if (this.record.startedAt !== null) this.#hearStop()
  }

  /** By message, as on a real thread. */
  answer(question: number, answer: Answered): void {
    this.#later('hears an answer', () => {
      if (question === this.#asked) this.#answered?.(answer)
    })
  }

  terminate(): void {
    if (this.record.freed || this.record.terminatedAt !== null) return
    this.kill()
    this.record.terminatedAt = this.#now()
    this.#pool.terminating(this.#thread)
  }

  condemn(): void {
    if (this.record.freed || this.#thread.exited) return
    this.terminate()
    this.record.condemned = true
    this.#pool.condemn(this.#thread)
  }

  /** Ends the thread, whoever asks. Native code keeps it for a while. */
  kill(): void {
    const { nativeMs, lastWord } = this.#script
    this.#dying = true
    if (lastWord === true && this.record.startedAt !== null) this.#later('returns after all', () => this.#say(this.#returned()))
    if (nativeMs === undefined || this.record.startedAt === null) this.#later('exits', () => this.#exit())
    else this.#pool.options.clock.after(nativeMs, () => this.#exit())
  }

  #begin(): void {
    this.record.startedAt = this.#now()
    if (this.record.stop !== null) this.#hearStop()
    this.#talk(this.#script.notes ?? 0)
  }

  #talk(notesLeft: number): void {
    if (notesLeft === 0) return this.#write(this.#script.writes ?? 0)
    this.#later('talks', () => {
      const note = `${this.record.token}/${this.record.notes.length}`
      this.record.notes.push(note)
      this.#pool.send(this.#thread, 'progress', () => this.#listener.progress(0.5, note))
      this.#talk(notesLeft - 1)
    })
  }

  /** Each value names its run, so that nobody else's can pass for it. */
  #write(writesLeft: number): void {
    if (writesLeft === 0) {
      if (this.#script.does !== undefined) this.#later(this.#script.does, () => this.#act())
      return
    }
    this.#later('asks', () => {
      const question = ++this.#asked
      const version = `${this.record.jobId}/${this.record.token}/${question}`
      const operation = { type: 'set' as const, key: this.record.jobId, value: '1', version }
      this.#answered = (answer) => {
        if (answer.ok) this.#write(writesLeft - 1)
        else this.#say({ type: 'threw', error: answer.error })
      }
      this.#pool.send(this.#thread, 'question', () => this.#listener.ask(question, { type: 'key-value', operation }))
    })
  }

  #act(): void {
    const error = { name: 'Error', message: this.#script.does ?? '' }
    switch (this.#script.does) {
      case 'return':
        return this.#say(this.#returned())
      case 'throw':
        return this.#say({ type: 'threw', error })
      case 'reject':
        return this.#say({ type: 'rejected', error })
      case 'unknown':
        return this.#say(this.record.token > 1 ? this.#returned() : { type: 'unknown-kind', error })
      default:
        return this.#exit()
    }
  }

  #hearStop(): void {
    const { whenStopped } = this.#script
    if (whenStopped === 'return') this.#later('returns, stopped', () => this.#say(this.#returned()))
    if (whenStopped === 'throw')
      this.#later('throws, stopped', () => this.#say({ type: 'threw', error: { name: 'AbortError', message: 'stopped' } }))
  }

  /** The result names its run, so that nobody else's can pass for it. */
  #returned(): HandlerOutcome {
    return { type: 'returned', result: `"${this.record.jobId}/${this.record.token}"` }
  }

  #say(outcome: HandlerOutcome): void {
    if (this.record.endedAt !== null) return
    this.record.said = outcome
    this.record.endedAt = this.#now()
    this.#pool.send(this.#thread, 'outcome', () => this.#listener.outcome(outcome))
    this.#pool.send(this.#thread, 'is back', () => {
      // On a thread that dies only the exit counts.
      if (this.#thread.exited || this.#dying) return
      this.record.freed = true
      this.#listener.over({ type: 'done' })
      this.#pool.free(this.#thread)
    })
  }

  #exit(): void {
    if (this.#thread.exited || this.record.freed) return
    this.#thread.exited = true
    this.record.exitedAt = this.#now()
    this.#pool.send(this.#thread, 'exit', () => {
      this.record.freed = true
      this.#listener.over({ type: 'exited', exitCode: 1, error: null, terminated: this.record.terminatedAt !== null })
      this.#pool.exited(this.#thread)
    })
  }

  #now(): number {
    return this.#pool.options.clock.mono()
  }

  /** A thread that has exited does nothing any more. */
  #later(label: string, run: () => void): void {
    const { options } = this.#pool
    options.later(`thread ${this.threadId} ${label}`, () => {
      if (!this.#thread.exited && !this.record.freed) run()
    })
  }
}
