/** The graph of files as a whole: no circles, and nothing that nobody loads. */
import { importsOf, urlTexts } from './import-graph.ts'
import { lineAt, parse, type Rule, type SourceFile, typescriptIn, type Violation, walk } from './project.ts'

type Graph = ReadonlyMap<string, readonly string[]>

function graphOf(sources: readonly SourceFile[]): Graph {
  return new Map(sources.map((file) => [file.path, importsOf(file).map(({ target }) => target)]))
}

/** No file reaches itself, not even by types: a circle has no first file to read. */
export const importCycles: Rule = {
  name: 'no file imports itself by way of others',
  check(files) {
    const graph = graphOf(typescriptIn(files, 'src'))
    const done = new Set<string>()
    const found: Violation[] = []
    const visit = (path: string, trail: readonly string[]): void => {
      const at = trail.indexOf(path)
      if (at >= 0) {
        found.push({
          path,
          line: 1,
          message: `a circle: ${[...trail.slice(at), path].join(' → ')}; move what both need to a file of its own`,
        })
        return
      }
      if (done.has(path)) return
      for (const target of graph.get(path) ?? []) visit(target, [...trail, path])
      done.add(path)
    }
    for (const path of graph.keys()) visit(path, [])
    return found
  },
  bad: [
    { 'src/a.ts': "import './b.ts'", 'src/b.ts': "import type { A } from './c.ts'", 'src/c.ts': "export * from './a.ts'" },
    { 'src/a.ts': "import './a.ts'" },
  ],
  good: [{ 'src/a.ts': "import './b.ts'\nimport './c.ts'", 'src/b.ts': "import './c.ts'", 'src/c.ts': '' }],
}

/** What a thread or a child process starts with. */
const workerEntries = [
  'src/supervisor/inline/presence-main.ts',
  'src/threads/worker/main.ts',
  'src/threads/worker/child.ts',
  'src/threads/worker/parent-watch.ts',
]

/** Where execution starts: the app's import, threads and child processes, and what package.json exports or runs. */
function entryPoints(files: readonly SourceFile[]): string[] {
  const manifest = files.find(({ path }) => path === 'package.json')?.text ?? ''
  const published = [...manifest.matchAll(/"\.?\/?dist\/([\w/-]+)\.js"/g)].map(([, name]) => `src/${name}.ts`)
  return ['src/index.ts', 'src/supervisor/main.ts', ...workerEntries, ...published]
}

/** Every file of `src` is reached from an entry point. */
export const deadFiles: Rule = {
  name: 'every file is reached from an entry point',
  check(files) {
    const graph = graphOf(typescriptIn(files, 'src'))
    const reached = new Set<string>()
    const waiting = entryPoints(files)
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (reached.has(path)) continue
      reached.add(path)
      waiting.push(...(graph.get(path) ?? []))
    }
    const dead = [...graph.keys()].filter((path) => !reached.has(path))
    return dead.map((path) => ({ path, line: 1, message: 'no entry point reaches it; use it or delete it' }))
  },
  bad: [{ 'src/index.ts': '', 'src/job/forgotten.ts': '' }],
  good: [
    { 'src/index.ts': "import './a.ts'", 'src/a.ts': 'new URL(`./b${extension}`, import.meta.url)', 'src/b.ts': '' },
    { 'package.json': '{ "bin": "./dist/cli/main.js" }', 'src/cli/main.ts': '' },
  ],
}

/** The build turns `.ts` into `.js` in imports, but leaves the strings of URLs alone. */
export const urlsOfBuild: Rule = {
  name: 'a module that is named by URL is found in the build as well',
  check: (files) =>
    typescriptIn(files, 'src').flatMap((file) => {
      const found: Violation[] = []
      walk(parse(file).program, (node) => {
        const texts = urlTexts(node)
        if (texts.some((text) => text.endsWith('.ts')) === texts.some((text) => text.endsWith('.js'))) return
        const message = `'${texts[0]}' names one form only; take the extension from import.meta.url`
        found.push({ path: file.path, line: lineAt(file.text, node.start), message })
      })
      return found
    }),
  bad: [
    { 'src/a.ts': "new URL('./b.ts', import.meta.url)" },
    { 'src/a.ts': "new Worker(new URL('./b.js', import.meta.url))" },
    { 'src/a.ts': "import.meta.resolve('./b.ts')" },
  ],
  good: [
    { 'src/a.ts': 'new URL(`./b${extension}`, import.meta.url)' },
    { 'src/a.ts': "new URL(isSource ? './b.ts' : './b.js', import.meta.url)" },
    { 'src/a.ts': "new URL('./page.html', import.meta.url)" },
  ],
}
