/** The part of README.md that the bench writes. */

const begin = '<!-- bench -->'
const end = '<!-- /bench -->'

/**
 * Puts `table` between the two marks, in place of what stands there.
 *
 * @throws Error where the marks are not there, in this order.
 */
export function replaceBlock(readme: string, table: string): string {
  const from = readme.indexOf(begin)
  const to = readme.indexOf(end)
  if (from < 0 || to < from)
    throw new Error(`README.md has no place for the table: put ${begin} and ${end} on lines of their own.`)
  return `${readme.slice(0, from + begin.length)}\n${table}\n${readme.slice(to)}`
}
