/** Names, docs and words: what a reader meets first. */
import type { ESTree } from 'vite'
import { lineAt, parse, type Rule, type SourceFile, typescriptIn, type Violation } from './project.ts'

const emptyNames = /(^|[-.])(utils?|helpers?|common|types?|managers?|misc|shared|index)\.ts$/

/** A file is named for what it holds. */
export const fileNames: Rule = {
  name: 'a file says what it is by its name',
  check: (files) =>
    typescriptIn(files, 'src').flatMap(({ path }): Violation[] => {
      const name = path.slice(path.lastIndexOf('/') + 1)
      if (path === 'src/index.ts' || (!emptyNames.test(name) && /^[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(name))) return []
      return [{ path, line: 1, message: 'name it by a noun of the domain or a verb, in lower case with hyphens' }]
    }),
  bad: [{ 'src/job/utils.ts': '' }, { 'src/job/job-types.ts': '' }, { 'src/client/index.ts': '' }, { 'src/job/JobState.ts': '' }],
  good: [{ 'src/index.ts': '', 'src/job/kind.ts': '', 'src/actors/lease-keeper.ts': '' }],
}

/** Every exported declaration has a TSDoc comment. */
export const exportDocs: Rule = {
  name: 'every export has a docstring',
  check: (files) => typescriptIn(files, 'src').flatMap(undocumented),
  bad: [
    { 'src/a.ts': 'export const a = 1' },
    { 'src/a.ts': '// no docstring\nexport function a() {}' },
    { 'src/a.ts': '/** Of the file. */\nimport "./b.ts"\nexport interface A {}' },
    { 'src/a.ts': 'class A {}\nexport { A }' },
  ],
  good: [
    {
      'src/a.ts':
        '/** Says what. */\nexport const a = 1\n\n/** One. */\nexport function f(a: 1): void\nexport function f(a: 2): void',
    },
    { 'src/a.ts': "/** Says what. */\nclass A {}\nexport { A }\nexport { B } from './b.ts'\nexport * from './c.ts'" },
  ],
}

function undocumented(file: SourceFile): Violation[] {
  const { program, comments } = parse(file)
  const docEnds = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*')).map(({ end }) => end)
  const isDocumented = (start: number) => docEnds.some((end) => end <= start && file.text.slice(end, start).trim() === '')
  const documented = new Set<string>()
  const exported: { readonly name: string; readonly start: number }[] = []
  for (const statement of program.body) {
    const isExport = statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration'
    const names = declaredNames(isExport ? statement.declaration : statement)
    if (isDocumented(statement.start)) for (const name of names) documented.add(name)
    if (isExport) exported.push(...[...names, ...listedNames(statement)].map((name) => ({ name, start: statement.start })))
  }
  return exported
    .filter(({ name }) => !documented.has(name))
    .map(({ name, start }) => ({
      path: file.path,
      line: lineAt(file.text, start),
      message: `'${name}' is exported without a /** docstring */`,
    }))
}

/** The names of `export { a, b }`; none where they come from another file, which documents them. */
function listedNames(statement: ESTree.ExportNamedDeclaration | ESTree.ExportDefaultDeclaration): string[] {
  if (statement.type === 'ExportDefaultDeclaration' || statement.source !== null) return []
  return statement.specifiers.map(({ local }) => (local.type === 'Literal' ? local.value : local.name))
}

function declaredNames(node: ESTree.Node | null): string[] {
  if (node === null) return []
  if (node.type === 'VariableDeclaration')
    return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
  if ('id' in node && node.id !== null && typeof node.id === 'object' && 'name' in node.id) return [String(node.id.name)]
  return node.type.startsWith('Export') || node.type.startsWith('Import') || node.type === 'ExpressionStatement'
    ? []
    : ['default']
}
