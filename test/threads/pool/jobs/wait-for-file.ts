/** A program that says that it has started, and ends once it is let go, both by a file. */
import { existsSync, writeFileSync } from 'node:fs'

const name = process.argv[2]
writeFileSync(`${name}.started`, '')
const poll = setInterval(() => {
  if (existsSync(`${name}.go`)) clearInterval(poll)
}, 5)
