/** Starts that fail, one after the other, in a program that nothing else keeps alive. Prints the code of each. */
import { createRuntime, ReeveError } from '../../../src/index.ts'

const database = process.argv[2] ?? ''
for (let start = 0; start < 10; start++) {
  await createRuntime({ database, threads: 0 }).catch((error: unknown) => {
    console.log(error instanceof ReeveError ? error.code : String(error))
  })
}
