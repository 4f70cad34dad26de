import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { errorCodes } from '../../src/errors.ts'
import { readDocument, root, section, tableRows } from '../support/markdown.ts'

const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'docs/errors.md',
  'docs/flows.md',
  'docs/key-values.md',
  'docs/locks.md',
  'docs/cli.md',
  'docs/job-files.md',
  'docs/looking-in.md',
  'docs/options.md',
  'docs/schedules.md',
  'docs/unique-jobs.md',
  'docs/what-happens-when.md',
  'docs/your-own-transaction.md',
  'docs/worker-resources.md',
  'docs/inline-consumers.md',
  'docs/run-context.md',
  'docs/groups-and-limits.md',
]
const scripts = Object.keys((JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> }).scripts)

describe.each(documents)('%s', (path) => {
  test('links to files that are there', () => {
    const targets = [...readDocument(path).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, target = '']) => target)
    expect(targets.filter((target) => !existsSync(join(root, dirname(path), target)) && !isMadeByBench(target))).toEqual([])
  })

  test('names npm scripts that are there', () => {
    const named = [...readDocument(path).matchAll(/\bnpm run ([\w:-]+)/g)].map(([, script]) => script)
    expect(named.filter((script) => !scripts.includes(script ?? ''))).toEqual([])
  })
})

test('the README fits on the pages that a newcomer reads', () => {
  expect(readDocument('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(200)
})

test('every error code is in the table of errors, in the same words and order', () => {
  const rows = tableRows(readDocument('docs/errors.md')).map(([code = '', meaning = '']) => [code.replaceAll('`', ''), meaning])
  expect(rows).toEqual(Object.entries(errorCodes))
})

test.each([['Of a runtime', 'src/client/options.ts', 'RuntimeOptions']])(
  'every option is in its table: %s',
  (heading, file, name) => {
    expect(optionsInTable(heading).toSorted()).toEqual(fieldsOf(file, name).toSorted())
  },
)

test('every option is in its table: Of one job', () => {
  const fields = [...fieldsOf('src/job/enqueue-options.ts', 'EnqueueOptions'), ...fieldsOf('src/job/flow.ts', 'FlowOptions')]
  expect(optionsInTable('Of one job').toSorted()).toEqual(fields.toSorted())
})

test('every option is in its table: Of a kind', () => {
  const fields = [...fieldsOf('src/job/definition.ts', 'JobOptions'), 'input', 'run', 'setup', 'teardown']
  expect(optionsInTable('Of a kind').toSorted()).toEqual(fields.toSorted())
})

test('every row of what happens when names a test that is there', () => {
  const rows = tableRows(readDocument('docs/what-happens-when.md'))
  expect(rows.length).toBeGreaterThan(10)
  const missing = rows.filter(([, , proof = '']) => {
    const [, file = '', title = ''] = /^`(test\/\S+\.test\.ts)`: (.+)$/.exec(proof) ?? []
    return !existsSync(join(root, file)) || title === '' || !readDocument(file).includes(title)
  })
  expect(missing).toEqual([])
})

function optionsInTable(heading: string): string[] {
  return tableRows(section(readDocument('docs/options.md'), heading)).map(([option = '']) => option.replaceAll('`', ''))
}

/** The names of the fields of an interface. */
function fieldsOf(file: string, name: string): string[] {
  const [, body = ''] = new RegExp(`^export interface ${name}\\b[^{]*\\{$([\\s\\S]*?)^\\}$`, 'm').exec(readDocument(file)) ?? []
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, field = '']) => field)
}

/** A page that is there once the bench has run. */
function isMadeByBench(target: string): boolean {
  return target === 'bench/results/latest.md'
}
