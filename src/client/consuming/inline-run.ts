/**
 * One job in the app's own thread: the envelope of a worker around a handler of the app, with a desk of its own. When the
 * supervisor thread dies, the handler is told that its lease is lost, and whatever it says from then on is heard by nobody.
 */
import { ReeveError } from '../../errors.ts'
import type { AnyJobDefinition } from '../../job/definition.ts'
import type { WorkerResource } from '../../job/worker-resource.ts'
import { Cells } from '../../threads/cells.ts'
import type { InlineWord, WorkerMessage } from '../../threads/protocol.ts'
import { type Desk, hearAnswer, hearStop, openDesk } from '../../threads/worker/desk.ts'
import { execute } from '../../threads/worker/execute.ts'

/** What the runs of a consumer have in common. */
export interface InlineRunOptions {
  /** What is run of a kind; undefined where the consumer has no handler for it. */
  readonly definitionOf: (kind: string) => AnyJobDefinition | undefined
  /** What `setup` has made. */
  readonly resource: { readonly of: WorkerResource; readonly value: unknown } | null
  readonly payloadBytesMax: number
  readonly post: (message: WorkerMessage) => void
}

/** A run. It is taken up when it is made. */
export class InlineRun {
  /** Resolves when the handler has returned. Never rejects. */
  readonly over: Promise<void>
  readonly #desk: Desk
  #isHeard = true
  #isOver = false

  constructor(
    { assignment, cells, logLevel }: Extract<InlineWord, { type: 'take' }>,
    { definitionOf, resource, payloadBytesMax, post }: InlineRunOptions,
  ) {
    const line = {
      post: (message: WorkerMessage) => void (this.#isHeard && post(message)),
      cells: new Cells(cells),
      cellsAreShared: true,
    }
    const settings = { jobsUrl: '', skip: {}, payloadBytesMax, niceness: 0, logLevel, setupMaxMs: Number.POSITIVE_INFINITY }
    this.#desk = openDesk(settings, line)
    const definition = definitionOf(assignment.kind)
    if (definition !== undefined) this.#desk.kinds = { [assignment.kind]: definition }
    if (resource !== null) this.#desk.resources.keep(resource.of, resource.value)
    this.over = execute(assignment, this.#desk).then(() => {
      this.#isOver = true
    })
  }

  /** Whether the handler has returned. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether it has, and all that it asked is answered. */
  get isDone(): boolean {
    return this.#isOver && this.#desk.questions.size === 0
  }

  /** A word of the supervisor. */
  hear(word: Exclude<InlineWord, { type: 'take' }>): void {
    if (word.type === 'stop') hearStop(this.#desk, word)
    else hearAnswer(this.#desk, word)
  }

  /** The supervisor is gone. */
  lose(): void {
    this.#isHeard = false
    const { active, cells, questions } = this.#desk
    const error = new ReeveError('REEVE_ATTEMPT_STOPPED', 'The supervisor thread has died: this attempt holds its job no longer.')
    for (const open of questions.values()) open.abandon(error)
    if (active === null) return
    const { run } = active.assignment
    cells.requestStop(run, 'lease-lost')
    hearStop(this.#desk, { type: 'stop', run, reason: 'lease-lost' })
  }
}
