/** Starts the player under the shim, until it has met a fault at every call of the scenario. */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Durability } from '../../../../src/persistence/store.ts'
import { scratchFolder } from '../../store/scratch.ts'
import type { Breach } from '../verdict.ts'
import { judge } from './judge.ts'
import { buildShim, type Fault, type Shim, ShimControl } from './shim.ts'

const player = fileURLToPath(new URL('./player.ts', import.meta.url))

/** More calls than the scenario makes. */
const callsMax = 100_000

/** One that has not ended by then hangs. */
const playerMaxMs = 500_000

/** How many writes and syncs a scenario makes, and how many of them until its file is open. */
export interface CallCount {
  readonly opening: number
  readonly all: number
}

/** How a player ended: it came to the end of its list, or was killed as it was meant to be. */
type PlayerEnd = CallCount | 'killed'

/** Which calls meet a fault: each `step`-th, and of the opening each `openingStep`-th. */
export interface Sample {
  readonly first?: number
  readonly step?: number
  readonly opening?: number
  readonly openingStep?: number
}

function start(shim: Shim, args: readonly string[]): Promise<PlayerEnd> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...shim.env }
    execFile(process.execPath, [player, ...args], { env, timeout: playerMaxMs }, (error, stdout, stderr) => {
      const [, opening, all] = /^over (\d+) (\d+)\n$/.exec(stdout) ?? []
      if (error === null && all !== undefined) resolve({ opening: Number(opening), all: Number(all) })
      else if (error?.signal === 'SIGKILL' && !error.killed) resolve('killed')
      else reject(new Error(`The player ended in another way:\n${stdout}${stderr}`, { cause: error }))
    })
  })
}

/** A shim in a new folder of the present test; where there can be none, `orElse` is told why. */
export function shimOr(orElse: (why: string) => never): { readonly shim: Shim; readonly folder: string } {
  const folder = scratchFolder()
  const shim = buildShim(folder, 'jobs.db')
  return typeof shim === 'string' ? orElse(shim) : { shim, folder }
}

/** A fault that the process survives, at one call after the other: one process plays them all. Returns the folders, one a call. */
export async function playFaults(
  shim: Shim,
  folder: string,
  { fault, lasting, ...sample }: { readonly fault: Fault; readonly lasting: boolean } & Sample,
): Promise<readonly string[]> {
  const home = join(folder, `${fault}-${lasting ? 'lasting' : 'once'}`)
  mkdirSync(home)
  const { first = 1, step = 1, opening = 0, openingStep = 1 } = sample
  const numbers = [first, step, opening, openingStep].map(String)
  await start(shim, [home, fault, 'power', lasting ? 'lasting' : 'once', ...numbers])
  return foldersIn(home)
}

/** The scenario without a fault. Returns its folder, and how many calls it made. */
export async function playWhole(shim: Shim, folder: string): Promise<{ readonly home: string; readonly calls: CallCount }> {
  const calls = await start(shim, [folder, 'none', 'power', 'once', String(callsMax)])
  if (calls === 'killed') throw new Error('A player was killed that met no fault.')
  return { home: join(folder, String(callsMax)), calls }
}

/** The process dies at a call, in the way that `faultAt` says, if any; a new process for each call, two at a time. */
export async function playDeaths(shim: Shim, folder: string, { faultAt, durability }: DeathOptions): Promise<readonly string[]> {
  const home = join(folder, 'deaths')
  mkdirSync(home, { recursive: true })
  let next = 1
  let isOver = false
  const lane = async (name: string) => {
    const control = ShimControl.make(join(folder, `control-${name}`))
    const own: Shim = { control, env: { ...shim.env, REEVE_SHIM_CONTROL: control.file } }
    while (!isOver) {
      const call = next++
      const fault = faultAt(call)
      if (fault === null) continue
      const inside = join(home, `${fault}-${call}`)
      mkdirSync(inside)
      if ((await start(own, [inside, fault, durability, 'once', String(call)])) !== 'killed') isOver = true
    }
  }
  await Promise.all([lane('a'), lane('b')])
  return readdirSync(home).flatMap((name) => foldersIn(join(home, name)))
}

/** How to die. */
export interface DeathOptions {
  readonly faultAt: (call: number) => Fault | null
  readonly durability: Durability
}

function foldersIn(home: string): readonly string[] {
  return readdirSync(home).map((name) => join(home, name))
}

/** What is wrong in any of the folders, with the folder it is in. */
export async function judgeAll(folders: readonly string[]): Promise<readonly Breach[]> {
  const found: Breach[] = []
  for (const home of folders) {
    const breaches = await judge(join(home, 'jobs.db'), join(home, 'diary'))
    found.push(...breaches.map(({ promise, by }) => ({ promise, by: `${by} in ${home.split('/').slice(-2).join('/')}` })))
  }
  return found
}
