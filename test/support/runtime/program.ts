/** A child program of a test, started by the Node of the test itself. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** How a program ended and what it said. */
export interface ProgramEnd {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end; after `timeoutMs` it is killed, which `signal` then shows. */
export async function runProgram(
  program: URL,
  args: readonly string[],
  { node = process.execPath, timeoutMs = 20_000 } = {},
): Promise<ProgramEnd> {
  const child = spawn(node, [fileURLToPath(program), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  return { code, signal, stdout, stderr }
}
