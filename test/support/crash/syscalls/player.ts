/**
 * Plays the scenario under the shim, with a fault at its n-th call, for each n from `first` on, or each `step`-th, until a scenario comes to its end
 * before the fault. `player.ts <folder> <fault> <durability> <first> <lasting> <step>`. A process that is meant to die is started again
 * with the next n.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Durability } from '../../../../src/persistence/store.ts'
import { ownerId } from '../../store/commands.ts'
import { play } from './scenario.ts'
import { type Fault, ShimControl } from './shim.ts'

const [folder = '', fault = 'none', durability = 'power', first = '1', lasting = 'once', step = '1'] = process.argv.slice(2)
const control = new ShimControl(process.env['REEVE_SHIM_CONTROL'] ?? '')

for (let call = Number(first); ; call += Number(step)) {
  const home = join(folder, String(call))
  mkdirSync(home)
  control.set(fault as Fault, { at: call, lasting: lasting === 'lasting' })
  await play({
    database: join(home, 'jobs.db'),
    diary: join(home, 'diary'),
    durability: durability as Durability,
    owner: ownerId('player'),
  })
  const reached = control.calls >= call
  control.clear()
  if (!reached) break
}
console.log('over')
