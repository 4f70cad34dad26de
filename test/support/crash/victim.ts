/** A process that will be killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { now, write } from './diary.ts'

const app = fileURLToPath(new URL('./app.ts', import.meta.url))

/** What a victim is started with. */
export interface VictimOptions {
  readonly database: string
  readonly diary: string
  readonly durability: 'power' | 'process'
  readonly seed: number
  readonly mode?: 'enqueues' | 'runs'
}

/** The app of the crash tests in a process of its own. */
export class Victim {
  readonly #child: ChildProcess
  readonly #diary: string
  readonly #exited: Promise<unknown>
  #lines: string[] = []
  #errors = ''
  #waiters: (() => void)[] = []
  #ended = false

  constructor({ database, diary, durability, seed, mode = 'enqueues' }: VictimOptions) {
    this.#diary = diary
    this.#child = spawn(process.execPath, [app, database, diary, durability, String(seed), mode], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    // A test that fails leaves no process behind.
    onTestFinished(() => void this.#child.kill('SIGKILL'))
    this.#exited = once(this.#child, 'close').finally(() => {
      this.#ended = true
      this.#wake()
    })
    if (this.#child.stdout === null || this.#child.stderr === null) throw new Error('no pipes')
    createInterface(this.#child.stdout).on('line', (line) => {
      this.#lines.push(line)
      this.#wake()
    })
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text
    })
  }

  get pid(): number {
    return this.#child.pid ?? -1
  }

  /** What it complained of. */
  get errors(): string {
    return this.#errors
  }

  /** Resolves once it has printed so many lines (or has ended). */
  async printed(lines: number): Promise<void> {
    await this.#until(() => this.#lines.length >= lines)
  }

  /** Resolves once it has printed this line (or has ended). */
  async said(start: string): Promise<void> {
    await this.#until(() => this.#lines.some((line) => line.startsWith(start)))
  }

  /** Kills it `ms` from now, and resolves when it is gone. */
  async killAfter(ms: number): Promise<void> {
    await sleep(ms)
    write(this.#diary, { what: 'kill', pid: this.pid, at: now() })
    this.#child.kill('SIGKILL')
    await this.#exited
  }

  /** Resolves when it has ended by itself, with the signal that ended it. */
  async gone(): Promise<NodeJS.Signals | null> {
    await this.#exited
    return this.#child.signalCode
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition() && !this.#ended) await new Promise<void>((resolve) => this.#waiters.push(resolve))
  }

  #wake(): void {
    for (const waiter of this.#waiters.splice(0)) waiter()
  }
}
