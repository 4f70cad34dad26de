/** The house's one rule of imports: a file sees its own row and the rows above it, never below. */
import { importsOf } from './import-graph.ts'
import { type Rule, typescriptIn, type Violation } from './project.ts'

interface Layer {
  readonly name: string
  readonly holds: RegExp
  /** The layers that it may load, besides itself. */
  readonly sees: readonly string[]
  /** The layers of which it may import types: such an import leaves nothing at run time. */
  readonly seesTypesOf?: readonly string[]
  /** The layers that it may load by `import()`, when something asks for them, and not with itself. */
  readonly seesLazily?: readonly string[]
}

const base = ['leaves', 'job', 'seams']

/** The rows of the house, top first; the first pattern that matches places a file. */
const layers: readonly Layer[] = [
  {
    name: 'leaves',
    holds: /^src\/(errors|clock|random|duration|log-level|node-version|restart-policy|sibling-module)\.ts$/,
    sees: [],
  },
  { name: 'job', holds: /^src\/job\//, sees: ['leaves'] },
  {
    name: 'seams',
    holds:
      /^src\/(persistence\/(enqueue-statement|store|inspection|step-row|job-log|jobs-query|event-log|job-row|attempt-row|schedule-row|presence|child-record|commands\/[a-z-]+)|threads\/(protocol|cells|thread-pool|child-register|error-codec|revive-error|asks|plain-data))\.ts$/,
    sees: ['leaves', 'job'],
  },
  // A kind's own database is opened on a worker; Reeve's own never is.
  { name: 'worker', holds: /^src\/threads\/worker\//, sees: base, seesLazily: ['kind database'] },
  { name: 'threads', holds: /^src\/threads\//, sees: base },
  { name: 'kind database', holds: /^src\/persistence\/kind-database\//, sees: [...base, 'persistence'] },
  { name: 'persistence', holds: /^src\/persistence\//, sees: base },
  { name: 'actors', holds: /^src\/actors\//, sees: base },
  { name: 'supervisor', holds: /^src\/supervisor\//, sees: [...base, 'threads', 'persistence', 'actors'] },
  // It runs handlers too, in the envelope of a worker: those of inline consumers.
  { name: 'client', holds: /^src\/client\//, sees: [...base, 'worker'], seesTypesOf: ['supervisor'] },
  { name: 'index', holds: /^src\/index\.ts$/, sees: [...base, 'client'] },
  { name: 'cli', holds: /^src\/cli\//, sees: [...base, 'index'] },
  { name: 'dashboard', holds: /^src\/dashboard\//, sees: [...base, 'index'] },
  { name: 'metrics', holds: /^src\/metrics\//, sees: [...base, 'index'] },
  { name: 'testing', holds: /^src\/testing\//, sees: [...base, 'index'] },
]

const layerOf = (path: string) => layers.find(({ holds }) => holds.test(path))

/** Imports go up the rows of the house. */
export const importDirection: Rule = {
  name: 'a file imports from its own row of the house or a row above',
  check(files) {
    const sources = typescriptIn(files, 'src')
    const homeless = sources.filter(({ path }) => layerOf(path) === undefined)
    const lost = homeless.map(
      ({ path }): Violation => ({
        path,
        line: 1,
        message: 'belongs to no row of the house; move it, or add its row to test/support/tidy/layers.ts',
      }),
    )
    const wrong = sources.flatMap(importsOf).flatMap(({ from, line, target, how }): Violation[] => {
      const [layer, targetLayer] = [layerOf(from), layerOf(target)]
      if (layer === undefined || targetLayer === undefined || layer === targetLayer || how === 'thread') return []
      if (layer.sees.includes(targetLayer.name)) return []
      if (how === 'lazy' && layer.seesLazily?.includes(targetLayer.name)) return []
      if (how === 'type' && layer.seesTypesOf?.includes(targetLayer.name)) return []
      const types = layer.seesTypesOf === undefined ? '' : `, and types of ${layer.seesTypesOf.join(', ')} by \`import type\``
      return [
        {
          path: from,
          line,
          message: `${layer.name} may not import ${target}; it sees ${layer.sees.join(', ') || 'nothing'}${types}`,
        },
      ]
    })
    return [...lost, ...wrong]
  },
  bad: [
    { 'src/job/state.ts': "import { a } from '../persistence/store.ts'" },
    { 'src/actors/attempt.ts': "import { open } from '../persistence/sqlite/open.ts'" },
    { 'src/actors/attempt.ts': "import type { Pool } from '../threads/piscina-pool.ts'" },
    { 'src/persistence/sqlite/open.ts': "export * from '../../threads/piscina-pool.ts'" },
    { 'src/client/runtime.ts': "import { type Host } from '../supervisor/host.ts'" },
    { 'src/client/runtime.ts': "const host = await import('../supervisor/host.ts')" },
    { 'src/threads/worker/main.ts': "let a: import('../piscina-pool.ts').Pool" },
    { 'src/threads/worker/needs.ts': "import { open } from '../../persistence/kind-database/open.ts'" },
    { 'src/threads/worker/needs.ts': "await import('../../persistence/sqlite/open.ts')" },
    { 'src/helping/out.ts': '' },
  ],
  good: [
    { 'src/threads/worker/needs.ts': "await import('../../persistence/kind-database/open.ts')" },
    { 'src/client/runtime.ts': "import type { Host } from '../supervisor/host.ts'" },
    { 'src/client/thread.ts': "new URL('../supervisor/main.ts', import.meta.url)" },
    { 'src/supervisor/open-store.ts': "import { open } from '../persistence/sqlite/open.ts'" },
  ],
}

/** Which folders may load a package. A type of it may be imported anywhere but on a worker, which must not even name it. */
const packageHomes: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['src/persistence/sqlite/'],
  piscina: ['src/threads/'],
  commander: ['src/cli/'],
  comlink: ['src/supervisor/', 'src/client/'],
  pino: ['src/supervisor/'],
  croner: ['src/job/schedule/'],
}
const unknownToWorkers = ['better-sqlite3', 'comlink', 'pino']

/** Each package has one home; a worker thread loads no SQLite, no logger and no RPC. */
export const packageHome: Rule = {
  name: 'a package is loaded only where it belongs',
  check: (files) =>
    typescriptIn(files, 'src')
      .flatMap(importsOf)
      .flatMap(({ from, line, target, how }): Violation[] => {
        if (from.startsWith('src/threads/worker/') && unknownToWorkers.includes(target)) {
          return [{ path: from, line, message: `a worker thread never names ${target}` }]
        }
        const homes = packageHomes[target]
        if (homes === undefined || how === 'type' || homes.some((home) => from.startsWith(home))) return []
        return [{ path: from, line, message: `${target} is loaded in ${homes.join(' and ')} only` }]
      }),
  bad: [
    { 'src/actors/attempt.ts': "import pino from 'pino'" },
    { 'src/client/runtime.ts': "import Database from 'better-sqlite3'" },
    { 'src/threads/worker/log.ts': "import type { Logger } from 'pino'" },
  ],
  good: [
    { 'src/client/options.ts': "import type { Logger } from 'pino'" },
    { 'src/supervisor/logging.ts': "import { pino } from 'pino'" },
  ],
}

/** What `src` loads is installed with the package, not only in this repository. */
export const declaredPackages: Rule = {
  name: 'a package that src imports is a dependency or a peer dependency',
  check(files) {
    const manifest: unknown = JSON.parse(files.find(({ path }) => path === 'package.json')?.text ?? '{}')
    const { dependencies = {}, peerDependencies = {} } = manifest as Partial<Record<string, Record<string, string>>>
    return typescriptIn(files, 'src')
      .flatMap(importsOf)
      .filter(({ target }) => !target.startsWith('node:') && !target.startsWith('src/'))
      .filter(({ target }) => !(target in dependencies) && !(target in peerDependencies))
      .map(({ from, line, target }) => ({ path: from, line, message: `${target} is no dependency of package.json` }))
  },
  bad: [{ 'package.json': '{ "devDependencies": { "zod": "1" } }', 'src/job/a.ts': "import { z } from 'zod/v4'" }],
  good: [{ 'package.json': '{ "dependencies": { "@a/b": "1" } }', 'src/job/a.ts': "import '@a/b/c'\nimport 'node:fs'" }],
}
