/** One process of the crowd, from the side that strikes it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type AppOptions, exitCodes } from './app-options.ts'

const app = fileURLToPath(new URL('./app.ts', import.meta.url))

/** A process that runs `app.ts`. */
export class Member {
  /** Resolves when it is gone: with how, where nobody meant it to end so, else with null. */
  readonly fell: Promise<string | null>
  /** Codes of the errors that its runtime told of, and what it left for. */
  readonly told: string[] = []
  readonly #child: ChildProcess
  #errors = ''
  #isOpen = false
  #isGone = false
  #finished = false
  #waiters: (() => void)[] = []

  constructor(options: AppOptions, env: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [app, JSON.stringify(options)], { env: { ...process.env, ...env } })
    // Input that nobody reads any more is no fault of the run.
    this.#child.stdin?.on('error', () => undefined)
    createInterface(this.#child.stdout as NodeJS.ReadableStream).on('line', (line) => {
      if (line === 'open') this.#isOpen = true
      else if (line.startsWith('error ') || line.startsWith('left ')) this.told.push(line)
      else this.#finished ||= line === 'finished'
      this.#wake()
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text
    })
    this.fell = once(this.#child, 'close').then(([code, signal]) => {
      this.#isGone = true
      this.#wake()
      const isMeant = signal === 'SIGKILL' || code === 0 || code === exitCodes.gaveUp || code === exitCodes.notStarted
      return isMeant && this.#errors === '' ? null : `${options.name} (${options.role}): ${code ?? signal} ${this.#errors}`
    })
  }

  /** Whether its runtime is open. */
  get isOpen(): boolean {
    return this.#isOpen && !this.#isGone
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** Whether it has brought everything to its end. */
  get finished(): boolean {
    return this.#finished
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  killSupervisor(): void {
    this.#child.stdin?.write('supervisor\n')
  }

  /** Asks it to close its runtime; resolves when it is gone. */
  async close(): Promise<void> {
    this.#child.stdin?.end()
    await this.fell
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.fell
  }

  /** Resolves when it has brought everything to its end, or is gone. */
  async ended(): Promise<void> {
    while (!this.#finished && !this.#isGone) await new Promise<void>((resolve) => this.#waiters.push(resolve))
  }

  #wake(): void {
    for (const waiter of this.#waiters.splice(0)) waiter()
  }
}
