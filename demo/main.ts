/** `npm run demo -- --help`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type Durability, ReeveError } from 'reeve'
import { crash } from './crash.ts'
import { digestAll } from './digest-all.ts'
import { findFiles } from './files.ts'
import { tour } from './tour.ts'

interface Options {
  readonly folder: string
  readonly threads?: number
  readonly durability?: Durability
  readonly database?: string
  readonly crash?: true
  /** Set by `--crash` for the two processes that it starts: where they keep what outlives them. */
  readonly session?: string
}

const { crash: crashes, session, database, ...options } = readOptions()
const folder = resolve(options.folder)
const scratch = session === undefined ? mkdtempSync(join(tmpdir(), 'reeve-demo-')) : undefined
try {
  if (session !== undefined) await digestAll({ ...options, session, files: findFiles(folder) })
  else if (crashes && scratch !== undefined) process.exitCode = await crash({ ...options, folder, session: scratch })
  else await tour({ ...options, folder, files: findFiles(folder), database: database ?? join(scratch ?? '', 'demo.db') })
} catch (error) {
  if (!(error instanceof ReeveError) || error.code !== 'REEVE_RUNTIME_CLOSED') throw error
  process.exitCode = 130
} finally {
  if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true })
}

function readOptions(): Options {
  return new Command('npm run demo --')
    .description('Works through many files on all cores, with jobs among them that hang, fail and will not stop.')
    .option('--folder <path>', 'the files to work on', fileURLToPath(new URL('../node_modules', import.meta.url)))
    .option('--threads <number>', 'worker threads; default one a core', threadCount)
    .option('--database <path>', 'keep the database here instead of in a temporary folder')
    .addOption(new Option('--durability <level>', 'how far a commit goes; default power').choices(['power', 'process']))
    .addOption(new Option('--session <folder>').hideHelp())
    .addOption(
      new Option('--crash', 'kill the process in the middle, start it again, check what came of every job').conflicts('database'),
    )
    .parse()
    .opts<Options>()
}

function threadCount(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1) return number
  throw new InvalidArgumentError('A whole number from 1.')
}
