/** `reeve once`: one job by the same path as every other, from the enqueue to the settled result. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realClock } from '../clock.ts'
import type { Duration } from '../duration.ts'
import { ReeveError } from '../errors.ts'
import { createRuntime, type JobHandle, type Runtime } from '../index.ts'
import { nearestName } from '../job/nearest-name.ts'
import { realRandom } from '../random.ts'
import { resultText } from './result-text.ts'
import { stderrLogger } from './stderr-logger.ts'

/** What the command line says. */
export interface OnceOptions {
  readonly jobs: string
  readonly database?: string
  readonly timeout?: Duration
  readonly attempts: number
  readonly verbose?: true
}

const completed = 0
const failed = 1
const unusable = 2
const interrupted = 130

/** Runs the job and resolves with the exit code. */
export async function once(kind: string, input: unknown, options: OnceOptions): Promise<number> {
  const scratch = options.database === undefined ? mkdtempSync(join(tmpdir(), 'reeve-once-')) : null
  const interrupt = new Interrupt()
  try {
    return await runIn(options.database ?? join(scratch ?? '', 'jobs.db'), { kind, input, options, interrupt })
  } catch (error) {
    if (!(error instanceof ReeveError)) throw error
    console.error(error.message)
    return unusable
  } finally {
    interrupt.ignore()
    if (scratch !== null) rmSync(scratch, { recursive: true, force: true })
  }
}

interface Order {
  readonly kind: string
  readonly input: unknown
  readonly options: OnceOptions
  readonly interrupt: Interrupt
}

async function runIn(database: string, { kind, input, options, interrupt }: Order): Promise<number> {
  // A queue of its own: this process is to run no other job of a database that it shares.
  const queue = `once-${realRandom.id(realClock().wall())}`
  const runtime = await createRuntime({
    database,
    jobs: options.jobs,
    threads: 1,
    queues: [queue],
    durability: options.database === undefined ? 'process' : 'power',
    logger: stderrLogger(options.verbose === true),
  })
  try {
    const complaint = await complaintAbout(runtime, kind, options.jobs)
    if (complaint !== null) {
      console.error(complaint)
      return unusable
    }
    if (interrupt.came) return interrupted
    tellOnStderr(runtime)
    const handle = await runtime.enqueue(kind, input, {
      queue,
      retry: { attemptsMax: options.attempts },
      ...(options.timeout !== undefined && { timeout: options.timeout }),
    })
    interrupt.onCame(() => void handle.cancel())
    return await ended(handle, interrupt)
  } finally {
    await runtime.close()
  }
}

/** What is wrong with the kind; null where it can run. A file that does not load is an error event of the runtime. */
async function complaintAbout(runtime: Runtime, kind: string, jobs: string): Promise<string | null> {
  const errors: Error[] = []
  const off = runtime.on('error', ({ error }) => void errors.push(error))
  const kinds = await runtime.kinds()
  off()
  if (kinds.includes(kind)) return null
  const reason = errors.find((error) => error instanceof ReeveError && error.kind === kind)
  if (reason !== undefined) return reason.message
  const meant = nearestName(kind, kinds)
  return `${jobs} has no kind '${kind}'${meant === null ? '.' : `; did you mean '${meant}'?`} It has ${kinds.join(', ')}.`
}

function tellOnStderr(runtime: Runtime): void {
  runtime.on('progress', ({ fraction, note }) => {
    console.error(['progress', fraction === null ? '' : `${Math.round(fraction * 100)} %`, note ?? ''].filter(Boolean).join(' '))
  })
  runtime.on('retrying', ({ attempt, error }) => console.error(`attempt ${attempt} failed: ${error.message}`))
}

async function ended(handle: JobHandle<unknown>, interrupt: Interrupt): Promise<number> {
  try {
    console.log(resultText(await handle.result()))
    return completed
  } catch (error) {
    if (interrupt.came && error instanceof ReeveError && error.code === 'REEVE_JOB_CANCELLED') {
      console.error('The job was cancelled.')
      return interrupted
    }
    console.error(error instanceof Error ? (storyOf(error.cause) ?? error.message) : String(error))
    return failed
  }
}

/** What the handler threw, with its stack. */
function storyOf(cause: unknown): string | null {
  return cause instanceof Error ? (cause.stack ?? cause.message) : null
}

/** Ctrl-C and SIGTERM: the first one is passed on, the second one ends the process as ever. */
class Interrupt {
  came = false
  #act: () => void = () => undefined
  readonly #heard = () => {
    this.came = true
    this.ignore()
    this.#act()
  }

  constructor() {
    process.on('SIGINT', this.#heard)
    process.on('SIGTERM', this.#heard)
  }

  onCame(act: () => void): void {
    if (this.came) act()
    else this.#act = act
  }

  ignore(): void {
    process.off('SIGINT', this.#heard)
    process.off('SIGTERM', this.#heard)
  }
}
