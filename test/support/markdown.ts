/** Reads Markdown as far as the checks of the documents need it. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The repository's own folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A document by its path from the root of the repository. */
export function readDocument(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
}

/** The code of every fenced block of a language, in order. */
export function codeBlocks(markdown: string, language: string): readonly string[] {
  return [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, found, code = '']) =>
    found === language ? [code] : [],
  )
}

/** The rows of all tables as cells, without the heads. */
export function tableRows(markdown: string): readonly (readonly string[])[] {
  const tables = markdown.matchAll(/^\|.*\|\n\|[-| ]+\|\n((?:\|.*\|\n?)*)/gm)
  return [...tables].flatMap(([, rows = '']) =>
    rows
      .trimEnd()
      .split('\n')
      .map((row) =>
        row
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      ),
  )
}

/** The part below a heading of the second level, up to the next one. */
export function section(markdown: string, heading: string): string {
  const part = markdown.split(/^## /m).find((candidate) => candidate.startsWith(heading))
  if (part === undefined) throw new Error(`There is no section '${heading}'.`)
  return part
}
