/** Says when it has started and, a second later, when it is done: what a native call waits for. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const folder = process.argv[2] ?? ''
writeFileSync(join(folder, 'started'), '')
await setTimeout(1_000)
writeFileSync(join(folder, 'done'), '')
