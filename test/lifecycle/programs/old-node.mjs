/** What an app does, with the built package, in a form that every Node.js can load. */
import { createRuntime } from '../../../dist/index.js'

try {
  await createRuntime({ database: process.argv[2], threads: 0 })
  console.log('started')
} catch (error) {
  console.log(`${error.code} ${error.message}`)
}
