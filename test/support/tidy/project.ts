/** What a rule of the house sees: files as path and text, and TypeScript ones as a syntax tree as well. */
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { type ESTree, parseSync } from 'vite'

/** A file by its path from the root of the repository, with forward slashes. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** One place that breaks a rule, and what to do about it. */
export interface Violation {
  readonly path: string
  readonly line: number
  readonly message: string
}

/** A small made-up project: path to text. */
export type Example = Readonly<Record<string, string>>

/** One rule. `bad` are projects that it must report, `good` near misses that it must not: a rule that cannot fail is none. */
export interface Rule {
  /** The rule as a promise, in plain words. */
  readonly name: string
  check(files: readonly SourceFile[]): Violation[]
  readonly bad: readonly Example[]
  readonly good: readonly Example[]
}

const textExtensions = new Set([
  '.ts',
  '.mts',
  '.js',
  '.mjs',
  '.cjs',
  '.json',
  '.md',
  '.yml',
  '.yaml',
  '.sh',
  '.html',
  '.css',
  '.sql',
  '',
])
const foldersOfOthers = new Set(['node_modules', 'dist', 'coverage', '.git'])

/** Reads every text file of the repository but those that others made (dependencies, build output). */
export function readProject(root: string, folder = ''): SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry): SourceFile[] => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return foldersOfOthers.has(entry.name) ? [] : readProject(root, path)
    if (!entry.isFile() || !textExtensions.has(extname(entry.name))) return []
    return [{ path, text: readFileSync(join(root, path), 'utf8') }]
  })
}

/** An example as the files that a rule takes. */
export function filesOf(example: Example): SourceFile[] {
  return Object.entries(example).map(([path, text]) => ({ path, text }))
}

/** The TypeScript files below a folder. */
export function typescriptIn(files: readonly SourceFile[], folder: string): SourceFile[] {
  return files.filter(({ path }) => path.startsWith(`${folder}/`) && path.endsWith('.ts'))
}

/** The line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** A syntax tree and the comments, which stand outside of it. */
export interface Parsed {
  readonly program: ESTree.Program
  readonly comments: readonly {
    readonly type: 'Line' | 'Block'
    readonly value: string
    readonly start: number
    readonly end: number
  }[]
}

const parsedByFile = new WeakMap<SourceFile, Parsed>()

/** Parses a TypeScript file, once. Throws where it does not parse: a rule must not pass a file that it cannot read. */
export function parse(file: SourceFile): Parsed {
  const known = parsedByFile.get(file)
  if (known !== undefined) return known
  const { program, comments, errors } = parseSync(file.path, file.text)
  if (errors.length > 0) throw new Error(`${file.path} does not parse: ${errors[0]?.message}`)
  const parsed = { program, comments }
  parsedByFile.set(file, parsed)
  return parsed
}

/** Calls `visit` with every node below `node` and its parent, outermost first. */
export function walk(
  node: ESTree.Node,
  visit: (node: ESTree.Node, parent: ESTree.Node | null) => void,
  parent: ESTree.Node | null = null,
): void {
  visit(node, parent)
  for (const child of Object.values(node).flat()) {
    if (isNode(child)) walk(child, visit, node)
  }
}

function isNode(value: unknown): value is ESTree.Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}
