/** Time, chance, SQL and output each have one home, so that a test can stand in for it. */
import type { ESTree } from 'vite'
import { lineAt, parse, type Rule, type SourceFile, typescriptIn, type Violation, walk } from './project.ts'

/** The places of a file where `find` names something, as violations. */
function nodesOf(
  file: SourceFile,
  message: string,
  find: (node: ESTree.Node, parent: ESTree.Node | null) => string | null,
): Violation[] {
  const found: Violation[] = []
  walk(parse(file).program, (node, parent) => {
    const what = find(node, parent)
    if (what !== null) found.push({ path: file.path, line: lineAt(file.text, node.start), message: `${what}: ${message}` })
  })
  return found
}

/** `Date.now` for such a member, else null. */
function memberName(node: ESTree.Node): string | null {
  if (node.type !== 'MemberExpression' || node.object.type !== 'Identifier' || node.property.type !== 'Identifier') return null
  return `${node.object.name}.${node.property.name}`
}

/** The name of a variable that is used here; null for the names of members and of properties. */
function variableName(node: ESTree.Node, parent: ESTree.Node | null): string | null {
  if (node.type !== 'Identifier') return null
  const isMember = parent?.type === 'MemberExpression' && parent.property === node && !parent.computed
  const isKey = parent !== null && 'key' in parent && parent.key === node && !('shorthand' in parent && parent.shorthand)
  return isMember || isKey ? null : node.name
}

const timers = ['setTimeout', 'setInterval', 'setImmediate']
const clockMembers = new Set([
  'Date.now',
  'performance.now',
  'process.hrtime',
  'AbortSignal.timeout',
  ...timers.map((name) => `globalThis.${name}`),
])
const clockModules = ['node:timers', 'node:timers/promises', 'node:perf_hooks', 'timers', 'timers/promises', 'perf_hooks']
/** What such a module has that tells no time. */
const timeless = ['createHistogram', 'RecordableHistogram']

/** The shared stamp of a handler's start is read by two threads, so it cannot go through an object of one of them. */
const clockHomes = ['src/clock.ts', 'src/threads/cells.ts']

function timeUse(node: ESTree.Node, parent: ESTree.Node | null): string | null {
  if (node.type === 'NewExpression' || node.type === 'CallExpression') {
    const isDate = node.callee.type === 'Identifier' && node.callee.name === 'Date'
    return isDate && (node.arguments.length === 0 || node.type === 'CallExpression') ? 'Date without a time' : null
  }
  if (node.type === 'ImportDeclaration') {
    const named = node.specifiers.map((each) => (each.type === 'ImportSpecifier' ? each.local.name : '*'))
    const tellsTime = named.length === 0 || named.some((name) => !timeless.includes(name))
    return clockModules.includes(node.source.value) && tellsTime ? node.source.value : null
  }
  const member = memberName(node)
  if (member !== null && clockMembers.has(member)) return member
  const variable = variableName(node, parent)
  return variable !== null && timers.includes(variable) ? variable : null
}

/** Only the clock knows the time. */
export const timeHome: Rule = {
  name: 'no file but the clock reads a clock or sets a timer',
  check: (files) =>
    typescriptIn(files, 'src')
      .filter(({ path }) => !clockHomes.includes(path))
      .flatMap((file) => nodesOf(file, 'take a Clock and use it (src/clock.ts)', timeUse)),
  bad: [
    { 'src/a.ts': 'const at = Date.now()' },
    { 'src/a.ts': 'const at = new Date()' },
    { 'src/a.ts': 'setTimeout(go, 1)' },
    { 'src/a.ts': 'const later = { setImmediate }' },
    { 'src/a.ts': 'globalThis.setInterval(go, 1)' },
    { 'src/a.ts': 'const at = process.hrtime.bigint()' },
    { 'src/a.ts': 'const at = performance.now()' },
    { 'src/a.ts': "import { setTimeout as sleep } from 'node:timers/promises'" },
    { 'src/a.ts': "import { createHistogram, performance } from 'node:perf_hooks'" },
    { 'src/a.ts': "import * as hooks from 'node:perf_hooks'" },
  ],
  good: [
    { 'src/b.ts': "import { createHistogram } from 'node:perf_hooks'" },
    { 'src/a.ts': 'new Date(at)\nclock.setTimeout()\nconst options = { setTimeout: 1 }' },
    { 'src/clock.ts': 'Date.now()' },
  ],
}

const chance = new Set(['Math.random', 'crypto.randomUUID', 'crypto.getRandomValues', 'crypto.randomBytes'])

function chanceUse(node: ESTree.Node, parent: ESTree.Node | null): string | null {
  const member = memberName(node)
  if (member !== null && chance.has(member)) return member
  const variable = variableName(node, parent)
  return variable === 'randomUUID' || variable === 'randomBytes' || variable === 'randomInt' ? variable : null
}

/** Only `Random` draws lots, so that a seed replays a run. */
export const chanceHome: Rule = {
  name: 'no file but random draws lots',
  check: (files) =>
    typescriptIn(files, 'src')
      .filter(({ path }) => path !== 'src/random.ts')
      .flatMap((file) => nodesOf(file, 'take a Random and use it (src/random.ts)', chanceUse)),
  bad: [{ 'src/a.ts': 'Math.random()' }, { 'src/a.ts': "import { randomUUID } from 'node:crypto'" }],
  good: [{ 'src/a.ts': 'random.next()\nMath.round(1)' }, { 'src/random.ts': 'Math.random()' }],
}

/** The first words of a statement, in capitals as this house writes SQL. */
const sqlStart =
  /^\s*(SELECT|INSERT INTO|INSERT OR|REPLACE INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP|PRAGMA|BEGIN|COMMIT|ROLLBACK|VACUUM|ATTACH)\b/

function sqlUse(node: ESTree.Node): string | null {
  const text = node.type === 'Literal' ? node.value : node.type === 'TemplateLiteral' ? node.quasis[0]?.value.raw : null
  return typeof text === 'string' ? (sqlStart.exec(text)?.[1] ?? null) : null
}

/** Only the store knows SQL. */
export const sqlHome: Rule = {
  name: 'no file outside persistence holds SQL',
  check: (files) =>
    typescriptIn(files, 'src')
      .filter(({ path }) => !path.startsWith('src/persistence/'))
      .flatMap((file) => nodesOf(file, 'SQL belongs to src/persistence', sqlUse)),
  bad: [{ 'src/actors/a.ts': "db.prepare('SELECT 1')" }, { 'src/actors/a.ts': 'db.exec(`\n  DELETE FROM ${table}`)' }],
  good: [{ 'src/actors/a.ts': "log('Selected', 'a BEGIN')" }, { 'src/persistence/sqlite/a.ts': "db.prepare('SELECT 1')" }],
}

/** Only the command line prints; everything else logs by pino or posts a record. */
export const consoleHome: Rule = {
  name: 'no file outside the command line uses the console',
  check: (files) =>
    typescriptIn(files, 'src')
      .filter(({ path }) => !path.startsWith('src/cli/'))
      .flatMap((file) =>
        nodesOf(file, 'log by the logger that was passed in', (node, parent) =>
          variableName(node, parent) === 'console' ? 'console' : null,
        ),
      ),
  bad: [{ 'src/actors/a.ts': "console.log('here')" }],
  good: [{ 'src/cli/main.ts': "console.log('here')" }, { 'src/actors/a.ts': 'options.console' }],
}

function sleepUse(node: ESTree.Node, parent: ESTree.Node | null): string | null {
  const module = node.type === 'ImportDeclaration' ? node.source.value : null
  if (module !== null) return module.endsWith('timers/promises') ? module : null
  const variable = variableName(node, parent)
  return variable !== null && timers.includes(variable) ? variable : null
}

/** A test waits for what it is about, not for time. Jobs and child programs of tests, in files of their own, may sleep. */
export const testsNeverSleep: Rule = {
  name: 'no test sleeps',
  check: (files) =>
    typescriptIn(files, 'test')
      .filter(({ path }) => path.endsWith('.test.ts'))
      .flatMap((file) => nodesOf(file, 'wait for a signal of the code, or drive a manual clock', sleepUse)),
  bad: [
    { 'test/a.test.ts': 'await new Promise((done) => setTimeout(done, 50))' },
    { 'test/a.test.ts': "import { setTimeout as sleep } from 'node:timers/promises'" },
  ],
  good: [{ 'test/support/jobs.ts': 'setTimeout(done, 50)' }, { 'test/a.test.ts': 'await handle.result()' }],
}
