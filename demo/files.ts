/** Finds the files that the demo works on. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const textFile = /\.(c?ts|mts|js|mjs|cjs|json|md|txt|css|html)$/
const bytesMin = 1_000
const bytesMax = 200_000
const filesMax = 800

/** Text files of middling size below `folder`; of many an even choice, always the same. */
export function findFiles(folder: string): readonly string[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && textFile.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const { size } = statSync(file)
      return size >= bytesMin && size <= bytesMax
    })
    .sort()
  const step = Math.max(found.length / filesMax, 1)
  return found.filter((_file, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
}
