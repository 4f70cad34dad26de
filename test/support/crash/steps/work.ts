/** A process that works through the flow, for a test to watch and to kill. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const app = fileURLToPath(new URL('./app.ts', import.meta.url))

/** The process, and how it ended. */
export interface Work {
  readonly child: ChildProcess & { readonly stdin: NonNullable<ChildProcess['stdin']> }
  readonly end: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  /** Kills it so long after it has begun to work, and resolves when it is gone. */
  killAfter(ms: number): Promise<void>
}

/** Starts it; it kills itself at the point `killAt`, where it comes by. */
export function work(database: string, killAt: string): Work {
  const env = { ...process.env, KILL_AT: killAt }
  const child = spawn(process.execPath, [app, database], { stdio: ['pipe', 'pipe', 'inherit'], env })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdout.setEncoding('utf8').resume()
  const end = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  return {
    child,
    end,
    async killAfter(ms) {
      await Promise.race([once(child.stdout, 'data'), end])
      await sleep(ms)
      child.kill('SIGKILL')
      await end
    },
  }
}
