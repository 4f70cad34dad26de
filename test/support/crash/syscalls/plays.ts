/** Starts the player under the shim, until it has met a fault at every call of the scenario. */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Durability } from '../../../../src/persistence/store.ts'
import type { Breach } from '../verdict.ts'
import { judge } from './judge.ts'
import { type Fault, type Shim, ShimControl } from './shim.ts'

const player = fileURLToPath(new URL('./player.ts', import.meta.url))

/** More calls than the scenario makes. */
const callsMax = 100_000

/** How a player ended: it came to the end of its list, or was killed as it was meant to be. */
type PlayerEnd = 'over' | 'killed'

function start(shim: Shim, args: readonly string[]): Promise<PlayerEnd> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...shim.env }
    execFile(process.execPath, [player, ...args], { env, timeout: 60_000 }, (error, stdout, stderr) => {
      if (error === null && stdout === 'over\n') resolve('over')
      else if (error?.signal === 'SIGKILL' && !error.killed) resolve('killed')
      else reject(new Error(`The player ended in another way:\n${stdout}${stderr}`, { cause: error }))
    })
  })
}

/** A fault that the process survives, at each `step`-th call in turn: one process plays them all. Returns the folders, one a call. */
export async function playFaults(
  shim: Shim,
  folder: string,
  { fault, lasting, step = 1 }: { readonly fault: Fault; readonly lasting: boolean; readonly step?: number },
): Promise<readonly string[]> {
  const home = join(folder, `${fault}-${lasting ? 'lasting' : 'once'}`)
  mkdirSync(home)
  await start(shim, [home, fault, 'power', '1', lasting ? 'lasting' : 'once', String(step)])
  return foldersIn(home)
}

/** The scenario without a fault. Returns its folder. */
export async function playWhole(shim: Shim, folder: string): Promise<string> {
  await start(shim, [folder, 'none', 'power', String(callsMax), 'once'])
  return join(folder, String(callsMax))
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
      if ((await start(own, [inside, fault, durability, String(call), 'once'])) === 'over') isOver = true
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
