/** Which file names which other file or package, and how. */
import { posix } from 'node:path'
import type { ESTree } from 'vite'
import { lineAt, parse, type SourceFile, walk } from './project.ts'

/** `type` leaves nothing at run time; `value` loads the target, `lazy` when it is asked for; `thread` names it by URL, for another thread to load. */
export type ImportHow = 'type' | 'value' | 'lazy' | 'thread'

/** One import. `target` is a path of the repository, or the name of a package (`node:` modules included). */
export interface Import {
  readonly from: string
  readonly line: number
  readonly target: string
  readonly how: ImportHow
}

/** All imports of a file, re-exports, `import()`, `import('…')` types and `new URL('./…', import.meta.url)` included. */
export function importsOf(file: SourceFile): Import[] {
  const imports: Import[] = []
  walk(parse(file).program, (node) => {
    for (const [specifier, how] of specifiersOf(node)) {
      const target = specifier.startsWith('.') ? posix.join(posix.dirname(file.path), specifier) : packageOf(specifier)
      imports.push({ from: file.path, line: lineAt(file.text, node.start), target, how })
    }
  })
  return imports
}

function specifiersOf(node: ESTree.Node): [specifier: string, how: ImportHow][] {
  switch (node.type) {
    case 'ImportDeclaration':
      return [[node.source.value, node.importKind === 'type' ? 'type' : 'value']]
    case 'ExportAllDeclaration':
      return [[node.source.value, node.exportKind === 'type' ? 'type' : 'value']]
    case 'ExportNamedDeclaration':
      return node.source === null ? [] : [[node.source.value, node.exportKind === 'type' ? 'type' : 'value']]
    case 'ImportExpression':
      return textsIn(node.source).map((text) => [text, 'lazy'])
    case 'TSImportType':
      return [[node.source.value, 'type']]
    case 'NewExpression':
    case 'CallExpression':
      return modulesByUrl(node)
    default:
      return []
  }
}

function modulesByUrl(node: ESTree.Node): [specifier: string, how: ImportHow][] {
  return urlTexts(node).map((text) => [`${text.replace(/\.[jt]s$/, '')}.ts`, 'thread'])
}

/** The relative paths of a `new URL(…)` or an `import.meta.resolve(…)`, none for other nodes. */
export function urlTexts(node: ESTree.Node): string[] {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return []
  const { callee } = node
  const isUrl = node.type === 'NewExpression' && callee.type === 'Identifier' && callee.name === 'URL'
  const isResolve = callee.type === 'MemberExpression' && callee.object.type === 'MetaProperty'
  if ((!isUrl && !isResolve) || node.arguments[0] === undefined) return []
  return textsIn(node.arguments[0]).filter((text) => /^\.\.?\//.test(text))
}

/** Every string below a node: literals and the first part of templates. */
function textsIn(node: ESTree.Node): string[] {
  const texts: string[] = []
  walk(node, (inner) => {
    if (inner.type === 'Literal' && typeof inner.value === 'string') texts.push(inner.value)
    if (inner.type === 'TemplateLiteral' && inner.quasis[0] !== undefined) texts.push(inner.quasis[0].value.raw)
  })
  return texts
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}
