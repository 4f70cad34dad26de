/** Another process on the database of a test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { WorkerOptions } from './worker.ts'

const worker = fileURLToPath(new URL('./worker.ts', import.meta.url))

/** A worker process. `using` kills it, whatever state it is in. */
export class Peer implements Disposable {
  readonly #child: ChildProcess
  readonly #lines: string[] = []
  #errors = ''
  #waiters: (() => void)[] = []
  /** It has ended and all that it printed was read. */
  readonly gone: Promise<NodeJS.Signals | null>
  /** It has ended; processes that it started may still hold its output open. */
  readonly exited: Promise<unknown>
  #isGone = false

  constructor(database: string, options: WorkerOptions = {}) {
    this.#child = spawn(process.execPath, [worker, database, JSON.stringify({ durability: 'process', ...options })])
    this.exited = once(this.#child, 'exit')
    this.gone = once(this.#child, 'close').then(([, signal]) => {
      this.#isGone = true
      this.#wake()
      return signal as NodeJS.Signals | null
    })
    createInterface(this.#child.stdout as NodeJS.ReadableStream).on('line', (line) => {
      this.#lines.push(line)
      this.#wake()
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text
    })
  }

  /** The first line that begins so, as soon as it is printed. */
  async said(start: string): Promise<string> {
    for (;;) {
      const line = this.#lines.find((candidate) => candidate.startsWith(start))
      if (line !== undefined) return line
      if (this.#isGone) throw new Error(`The process ended without '${start}':\n${this.#lines.join('\n')}\n${this.#errors}`)
      await new Promise<void>((resolve) => this.#waiters.push(resolve))
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Lets it close its runtime and end. */
  async end(): Promise<void> {
    this.#child.stdin?.end()
    await this.gone
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL')
  }

  #wake(): void {
    for (const waiter of this.#waiters.splice(0)) waiter()
  }
}
