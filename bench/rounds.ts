/**
 * Takes all samples in rounds. Each sample has a process and a database folder of its own, so that no sample warms, fills or
 * disturbs the next; every other round goes backwards, so that a machine that slows down hits baselines and subjects alike.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { SampleName } from './samples/all.ts'
import type { SampleNumbers, SampleSettings } from './samples/sample.ts'

const run = promisify(execFile)
const takeFile = fileURLToPath(new URL('./samples/take.ts', import.meta.url))
/** A sample takes seconds; one that takes this long hangs. */
const sampleTimeoutMs = 120_000

/** All numbers of a sample, one for each round. */
export type Taken = ReadonlyMap<SampleName, readonly SampleNumbers[]>

/** Takes each named sample once a round. */
export async function takeRounds(
  names: readonly SampleName[],
  rounds: number,
  settings: SampleSettings,
  tell: (line: string) => void,
): Promise<Taken> {
  const taken = new Map<SampleName, SampleNumbers[]>(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const numbers = await take(name, settings)
      taken.get(name)?.push(numbers)
      tell(`round ${round + 1} of ${rounds}  ${name.padEnd(26)} ${describe(numbers)}`)
    }
  }
  return taken
}

async function take(name: SampleName, settings: SampleSettings): Promise<SampleNumbers> {
  const folder = await mkdtemp(join(settings.folder, 'reeve-bench-'))
  try {
    const { stdout } = await run(process.execPath, [takeFile, name, JSON.stringify({ ...settings, folder })], {
      timeout: sampleTimeoutMs,
    })
    return JSON.parse(stdout) as SampleNumbers
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function describe(numbers: SampleNumbers): string {
  return Object.entries(numbers)
    .map(([name, value]) => `${name} ${value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)}`)
    .join(', ')
}
