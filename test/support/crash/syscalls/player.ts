/**
 * Plays the scenario under the shim, with a fault at one call after the other, until a scenario comes to its end before the fault:
 * from the `first` call on, each `openingStep`-th up to the `opening`-th, then each `step`-th.
 * `player.ts <folder> <fault> <durability> <once|lasting> <first> <step> <opening> <openingStep>`.
 * A process that is meant to die is started again with the next call. Says `over <calls of the opening> <calls>` of the last scenario.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Durability } from '../../../../src/persistence/store.ts'
import { ownerId } from '../../store/commands.ts'
import { play } from './scenario.ts'
import { type Fault, ShimControl } from './shim.ts'

const [folder = '', fault = 'none', durability = 'power', lasting = 'once', ...numbers] = process.argv.slice(2)
const [first = 1, step = 1, opening = 0, openingStep = 1] = numbers.map(Number)
const control = new ShimControl(process.env['REEVE_SHIM_CONTROL'] ?? '')

for (let call = first; ; call += call < opening ? openingStep : step) {
  const home = join(folder, String(call))
  mkdirSync(home)
  control.set(fault as Fault, { at: call, lasting: lasting === 'lasting' })
  let openedBy = 0
  await play({
    database: join(home, 'jobs.db'),
    diary: join(home, 'diary'),
    durability: durability as Durability,
    owner: ownerId('player'),
    opened: () => {
      openedBy = control.calls
    },
  })
  const { calls } = control
  control.clear()
  if (calls < call) {
    console.log(`over ${openedBy} ${calls}`)
    break
  }
}
