/** Runs a program of the repository with this Node.js, as a person would at a prompt without a terminal. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A program that runs. */
export interface NodeProgram {
  readonly child: ChildProcess
  /** Resolves when the output holds this text; rejects when the program ends without. */
  seen(text: string): Promise<void>
  /** Resolves with how it ended and all that it printed. */
  readonly end: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly output: string }>
}

/** Starts `node <args>` in the root of the repository, or in `cwd`; `env` is added to the environment. */
export function startNode(
  args: readonly string[],
  { cwd = root, env = {} }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): NodeProgram {
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const add = (chunk: Buffer) => {
    output += chunk.toString()
    child.emit('output')
  }
  child.stdout.on('data', add)
  child.stderr.on('data', add)
  const end = once(child, 'close').then(([code, signal]) => ({ code, signal, output }))
  return {
    child,
    end,
    async seen(text) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const look = () => {
        if (output.includes(text)) resolve()
      }
      child.on('output', look)
      look()
      end.then(() => reject(new Error(`The program ended without '${text}':\n${output}`)), reject)
      await promise
    },
  }
}
