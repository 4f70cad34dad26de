/** The commands, their options and their help. */
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { type Duration, durationAccepted, durationMs } from '../duration.ts'
import { type OnceOptions, once } from './once.ts'

/** Exit code: nothing was run. */
const unusable = 2

const exitCodes = `
Exit codes:
  0    the job completed; its result is on stdout, as JSON
  1    the job failed, or was cancelled by somebody else
  2    nothing was run: a wrong option, no JSON, no such kind, jobs or a database that cannot be opened
  130  Ctrl-C (or SIGTERM) has cancelled the job`

const examples = `
Examples:
  reeve once thumbnail '{"file":"a.png","width":200}' --jobs src/jobs/
  reeve once report --jobs src/jobs.ts --database app.db --timeout 1m
  echo '[1, 2]' | reeve once sum - --jobs src/jobs/ > result.json`

/** Runs what the arguments say (the first two are those of Node) and resolves with the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  let exitCode = 0
  const program = new Command('reeve')
    .description('Durable background jobs on threads.')
    .version(versionOfPackage(), '-v, --version')
    .showHelpAfterError('(reeve --help, reeve once --help)')
  // Before the command is made, which inherits it.
  program.exitOverride()
  program
    .command('once')
    .summary('run one job and print its result')
    .description(
      'Runs one job as a runtime would: it is enqueued, claimed, run on a worker thread and settled. Its log, progress and errors go to stderr.',
    )
    .argument('<kind>', 'which kind of job')
    .argument('[json]', 'its input; - reads it from stdin; default none')
    .requiredOption('-j, --jobs <path>', 'the jobs module, or the folder of job files')
    .option('-d, --database <file>', 'keep the job in this database; default a temporary one, removed at the end')
    .option('-t, --timeout <duration>', 'how long the handler may run; default what its kind says', duration)
    .option('-a, --attempts <number>', 'how often it is tried in all', wholeNumber, 1)
    .option('--verbose', 'show what the runtime does, too')
    .addHelpText('after', `${exitCodes}\n${examples}`)
    .action(async (kind: string, json: string | undefined, options: OnceOptions) => {
      const input = await inputOf(json)
      exitCode = 'error' in input ? refuse(input.error) : await once(kind, input.value, options)
    })
  try {
    await program.parseAsync(args)
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : unusable
    throw error
  }
  return exitCode
}

function refuse(message: string): number {
  console.error(message)
  return unusable
}

async function inputOf(json: string | undefined): Promise<{ readonly value: unknown } | { readonly error: string }> {
  if (json === undefined) return { value: undefined }
  try {
    return { value: JSON.parse(json === '-' ? await text(process.stdin) : json) }
  } catch (error) {
    return { error: `The input is no JSON: ${(error as Error).message}\nQuote it for the shell: '{"file":"a.png"}'.` }
  }
}

function duration(value: string): Duration {
  const given = /^\d+$/.test(value) ? Number(value) : value
  try {
    durationMs(given, 'timeout')
  } catch {
    throw new InvalidArgumentError(`Accepted: ${durationAccepted}.`)
  }
  return given as Duration
}

function wholeNumber(value: string): number {
  if (/^[1-9]\d{0,2}$/.test(value)) return Number(value)
  throw new InvalidArgumentError('Accepted: a whole number from 1 to 999.')
}

function versionOfPackage(): string {
  return (createRequire(import.meta.url)('../../package.json') as { readonly version: string }).version
}
