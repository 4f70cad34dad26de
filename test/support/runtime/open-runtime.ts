/** Runtimes of tests: real threads on a real file in a folder of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createRuntime, type Jobs, ReeveError, type Runtime, type RuntimeOptions } from '../../../src/index.ts'

/** A folder with a database that does not exist yet. `using` removes it. */
export class Scratch implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'reeve-runtime-'))
  readonly database = join(this.folder, 'jobs.db')

  /** The path of another file in the folder. */
  file(name: string): string {
    return join(this.folder, name)
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A runtime with one thread and the fast durability, unless the test says otherwise. */
export function openRuntime<J extends Jobs>(
  scratch: Scratch,
  jobs: URL | undefined,
  options: Partial<RuntimeOptions<J>> = {},
): Promise<Runtime<J>> {
  return createRuntime<J>({
    database: scratch.database,
    threads: 1,
    durability: 'process',
    stopGrace: '2s',
    ...(jobs !== undefined && { jobs }),
    ...options,
  })
}

/** The ReeveError that a promise rejects with; anything else fails the test. */
export async function rejection(promise: Promise<unknown>): Promise<ReeveError> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if (!('error' in outcome)) throw new Error(`Expected a rejection, got ${JSON.stringify(outcome.value)}`)
  expect(outcome.error).toBeInstanceOf(ReeveError)
  return outcome.error as ReeveError
}
