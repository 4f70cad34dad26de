/**
 * The enqueues of one client: bounded by the depth of their queues, answered after their COMMIT. A call whose queue is full is refused,
 * or waits in the waiting room, as the queue's bound says.
 */
import { WaitingRoom } from '../actors/waiting-room.ts'
import type { NewJob } from '../job/new-job.ts'
import type { EnqueueAnswer, EnqueueCommand, Placement } from '../persistence/commands/enqueue.ts'
import { encodeError } from '../threads/error-codec.ts'
import { EnqueueParts } from './enqueue-parts.ts'
import { partLost, refusalError } from './enqueue-refusal.ts'
import type { EnqueueCall, SupervisorMessage } from './messages.ts'
import type { Services } from './services.ts'

type Refused = Extract<EnqueueAnswer, { type: 'refused' }>

/** What it works with. */
export interface EnqueueServices extends Pick<Services, 'committer' | 'clock' | 'dispatcher' | 'config'> {
  readonly failed: (error: unknown) => void
}

/** Takes the enqueues of a client. */
export class Enqueues {
  readonly #services: EnqueueServices
  readonly #send: (message: SupervisorMessage) => void
  readonly #room: WaitingRoom
  readonly #parts = new EnqueueParts()
  readonly #depthMax: Readonly<Record<string, number>>
  /** Calls with a bound that are not decided, and whether their client has given up. */
  readonly #undecided = new Map<number, { isWithdrawn: boolean }>()
  #enqueued: number[] = []
  #placed: { readonly call: number; readonly jobs: readonly Placement[] }[] = []

  constructor(services: EnqueueServices, send: (message: SupervisorMessage) => void) {
    this.#services = services
    this.#send = send
    this.#room = new WaitingRoom({ clock: services.clock, failed: services.failed })
    this.#depthMax = Object.fromEntries(Object.entries(services.config.queueDepths).map(([queue, { max }]) => [queue, max]))
  }

  /** A slice of a large batch. */
  part(call: number, jobs: NewJob[]): void {
    this.#parts.add(call, jobs)
  }

  abandoned(call: number): void {
    this.#parts.abandon(call)
  }

  /** The client does not wait for room any longer. */
  withdraw(call: number): void {
    const undecided = this.#undecided.get(call)
    if (undecided !== undefined) undecided.isWithdrawn = true
    this.#room.withdraw(call)
  }

  /** The claim goes into the same commit as the enqueue before it, so that an idle thread waits for one fsync, not two. */
  enqueue(calls: readonly EnqueueCall[]): void {
    for (const each of calls) {
      const jobs = this.#parts.take(each)
      if (jobs === null) this.#refuse(each.call, partLost())
      else this.#begin(each.call, jobs)
    }
    this.#services.dispatcher.wake()
  }

  stop(): void {
    this.#room.stop()
  }

  #begin(call: number, jobs: readonly NewJob[]): void {
    const bounded = jobs.filter(({ queue }) => Object.hasOwn(this.#depthMax, queue)).map(({ queue }) => queue)
    if (bounded.length > 0) this.#undecided.set(call, { isWithdrawn: false })
    const awaited = bounded.find((queue) => this.#room.isAwaited(queue))
    if (awaited !== undefined) return this.#wait(call, jobs, awaited)
    this.#submit(jobs, bounded.length > 0).then(
      (answer) => {
        if (!this.#answer(call, jobs, answer)) this.#wait(call, jobs, queueOf(answer))
      },
      (error: unknown) => this.#refuse(call, error),
    )
  }

  #submit(jobs: readonly NewJob[], isBounded: boolean): Promise<EnqueueAnswer> {
    const { committer, clock } = this.#services
    const command: EnqueueCommand = { type: 'enqueue', now: clock.wall(), jobs }
    return committer.submit(isBounded ? { ...command, depthMax: this.#depthMax } : command)
  }

  #wait(call: number, jobs: readonly NewJob[], queue: string): void {
    const depthMax = this.#depthMax[queue] ?? 0
    const attempt = () =>
      this.#submit(jobs, true).then(
        (answer) => {
          if (answer.type === 'enqueued') this.#services.dispatcher.wake()
          return this.#answer(call, jobs, answer)
        },
        (error: unknown) => {
          this.#refuse(call, error)
          return true
        },
      )
    const adds = jobs.filter((job) => job.queue === queue).length
    const full = () => this.#refuse(call, refusalError({ reason: 'full', queue, depthMax, adds }))
    if (this.#undecided.get(call)?.isWithdrawn === true) full()
    else this.#room.wait(call, queue, attempt, full)
  }

  /** Whether the call is decided; false where it is to wait for room. */
  #answer(call: number, jobs: readonly NewJob[], answer: EnqueueAnswer): boolean {
    if (answer.type === 'refused') {
      if (this.#mayWait(jobs, answer)) return false
      this.#refuse(call, refusalError(answer.refusal))
      return true
    }
    this.#undecided.delete(call)
    if (answer.placed !== undefined) this.#placed.push({ call, jobs: answer.placed })
    this.#acknowledge(call)
    return true
  }

  /** What is more than the whole bound would wait for ever. */
  #mayWait(jobs: readonly NewJob[], { refusal }: Refused): boolean {
    if (refusal.reason !== 'full' || this.#services.config.queueDepths[refusal.queue]?.whenFull !== 'wait') return false
    return jobs.filter(({ queue }) => queue === refusal.queue).length <= refusal.depthMax
  }

  #refuse(call: number, error: unknown): void {
    this.#undecided.delete(call)
    this.#send({ type: 'refused', call, error: encodeError(error) })
  }

  /** All acknowledgements of one commit go in one message. */
  #acknowledge(call: number): void {
    if (this.#enqueued.push(call) > 1) return
    this.#services.clock.nextTurn(() => {
      this.#send({ type: 'enqueued', calls: this.#enqueued, placed: this.#placed })
      this.#enqueued = []
      this.#placed = []
    })
  }
}

function queueOf(answer: EnqueueAnswer): string {
  return answer.type === 'refused' && answer.refusal.reason === 'full' ? answer.refusal.queue : ''
}
