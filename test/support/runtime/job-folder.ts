/** A folder of job files that a test writes, changes and takes away while a runtime runs on it. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Scratch } from './open-runtime.ts'

/** By the name of a file: its text, or null for none. */
export type FileTexts = Readonly<Record<string, string | null>>

/** The package as a job file of a test imports it. */
export const reeve = new URL('../../../src/index.ts', import.meta.url).href

/** One folder. */
export class JobFolder {
  readonly path: string
  readonly url: URL

  constructor(scratch: Scratch, files: FileTexts, name = 'jobs') {
    this.path = scratch.file(name)
    this.url = pathToFileURL(`${this.path}/`)
    mkdirSync(this.path)
    this.write(files)
  }

  /** The whole path of a file. */
  file(name: string): string {
    return join(this.path, name)
  }

  /** Writes, changes and removes files. */
  write(files: FileTexts): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(this.file(name)), { recursive: true })
      if (text === null) rmSync(this.file(name))
      else writeFileSync(this.file(name), text)
    }
  }
}

/** A handler that returns its answer. */
export function answers(answer: string): string {
  return `export const run = () => '${answer}'\n`
}
