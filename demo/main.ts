/** `npm run demo -- --help`. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
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

/** What a shell reports of a program that Ctrl-C has ended. */
const interrupted = 130

process.exitCode = await run(readOptions()).catch((error: unknown) => {
  if (error instanceof ReeveError && error.code === 'REEVE_RUNTIME_CLOSED') return interrupted
  throw error
})

async function run({ crash: crashes, session, database, folder, ...choices }: Options): Promise<number> {
  const files = findFiles(resolve(folder))
  if (files.length === 0) {
    console.log(`There are no text files in ${folder}.`)
    return 1
  }
  if (session !== undefined) return await digestAll({ ...choices, session, files })
  const scratch = mkdtempSync(join(tmpdir(), 'reeve-demo-'))
  try {
    if (crashes) return await crash({ ...choices, folder, session: scratch })
    return await tour({ ...choices, folder: resolve(folder), files, database: database ?? join(scratch, 'demo.db') })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function readOptions(): Options {
  return new Command('npm run demo --')
    .description('Works through many files on all cores, with jobs among them that hang, fail and will not stop.')
    .option('--folder <path>', 'the files to work on', existingFolder, fileURLToPath(new URL('../node_modules', import.meta.url)))
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

function existingFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path
  throw new InvalidArgumentError('There is no such folder.')
}

function threadCount(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1) return number
  throw new InvalidArgumentError('A whole number from 1.')
}
