/** A thread of piscina as the pool sees it: its own port and cells, and its end. */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import type { StopReason } from '../job/kind.ts'
import type { Answered } from './asks.ts'
import type { Carrier, CarrierListener } from './carrier.ts'
import { Cells } from './cells.ts'
import type { Assignment, HelloReply, HelloSettings, HelloTask, SupervisorWord, WorkerMessage, WorkerTask } from './protocol.ts'

/** Carries a task to one thread, by piscina. */
export type SendTask = (task: WorkerTask, transfer?: MessagePort[]) => Promise<unknown>

/** One worker thread. Its end is told when it has exited *and* its port has closed. */
export class ThreadCarrier implements Carrier {
  readonly threadId: number
  readonly pid = null
  readonly #worker: Worker
  readonly #send: SendTask
  readonly #cells = new Cells()
  readonly #isUp = Promise.withResolvers<void>()
  #up = false
  #listener: CarrierListener | null = null
  #port: MessagePort | null = null
  #exitCode: number | null = null
  #error: unknown

  constructor(worker: Worker, send: SendTask) {
    this.threadId = worker.threadId
    this.#worker = worker
    this.#send = send
    // Out of memory and the like: `error` comes first, but only `exit` proves that the thread is gone.
    worker.on('error', (error) => {
      this.#error = error
      this.#listener?.dying()
    })
    worker.on('exit', (code) => {
      this.#exitCode = code
      this.#listener?.dying()
      this.#endWhenClosed()
    })
  }

  get up(): boolean {
    return this.#up
  }

  /** From now on piscina hands it tasks. */
  isUp(): void {
    this.#up = true
    this.#isUp.resolve()
  }

  listen(listener: CarrierListener): void {
    this.#listener = listener
  }

  async hello(settings: HelloSettings): Promise<HelloReply> {
    await this.#isUp.promise
    if (this.#exitCode !== null) throw new Error('The thread is gone.')
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.on('message', (message: WorkerMessage) => this.#listener?.message(message))
    // A message that cannot be read may have been the outcome, and then the run would never be over.
    port1.on('messageerror', (error) => this.#listener?.broken(error))
    port1.on('close', () => {
      this.#port = null
      this.#endWhenClosed()
    })
    const task: HelloTask = { ...settings, type: 'hello', port: port2, cells: this.#cells.buffer }
    const reply = (await this.#send(task, [port2])) as HelloReply
    // It settles only with the thread's end, which the exit tells better; until then the slot in piscina is taken.
    if (reply.ok) this.#send({ type: 'shift' }).catch(() => undefined)
    return reply
  }

  assign(assignment: Assignment): void {
    this.#say({ type: 'assignment', assignment })
  }

  startedAt(run: number): number | null {
    return this.#cells.startedAt(run)
  }

  /** By cell for code that never awaits, and by message for the rest. */
  requestStop(run: number, reason: StopReason): void {
    this.#cells.requestStop(run, reason)
    this.#say({ type: 'stop', run, reason })
  }

  answer(run: number, question: number, answer: Answered): void {
    this.#say({ type: 'answered', run, question, answer })
  }

  dismiss(): void {
    this.#say({ type: 'leave' })
  }

  /** By the thread's own `terminate`, so that its slot in piscina stays taken until it has exited. */
  end(): void {
    void this.#worker.terminate()
  }

  /**
   * What its isolate keeps outside the JavaScript heap: buffers above all. V8 answers from within a busy loop too, but
   * not from within native code.
   */
  async usedBytes(): Promise<number | null> {
    try {
      return (await this.#worker.getHeapStatistics()).external_memory
    } catch {
      return null // It has just exited.
    }
  }

  unref(): void {
    this.#port?.unref()
    this.#worker.unref()
  }

  /** Where the port is closed already the exit is on its way. */
  #say(word: SupervisorWord): void {
    this.#port?.postMessage(word)
  }

  #endWhenClosed(): void {
    if (this.#exitCode === null || this.#port !== null) return
    this.#listener?.exited(this.#exitCode, this.#error)
  }
}
