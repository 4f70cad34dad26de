import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const directive = '@ts-expect-error'

/** Copies this folder beside links to `src` and the packages, each file changed by `edit`, and tells where `tsc` complains. */
function complaints(edit: (text: string) => string): string[] {
  const copy = mkdtempSync(join(tmpdir(), 'reeve-types-'))
  try {
    for (const name of ['src', 'node_modules']) symlinkSync(join(root, name), join(copy, name), 'junction')
    mkdirSync(join(copy, 'test', 'types'), { recursive: true })
    for (const name of files()) writeFileSync(join(copy, 'test', 'types', name), edit(readFileSync(join(here, name), 'utf8')))
    cpSync(join(here, 'folder'), join(copy, 'test', 'types', 'folder'), { recursive: true })
    const config = { extends: join(root, 'tsconfig.json'), include: [join(root, 'types'), 'test/types'] }
    writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(config))
    writeFileSync(join(copy, 'package.json'), '{"type": "module"}')
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', copy, '--pretty', 'false'], {
      cwd: copy,
      encoding: 'utf8',
    })
    const errors = stdout.split('\n').filter((line) => line.includes(': error '))
    const places = errors.map((error) => /^test\/types\/([\w.-]+)\((\d+),/.exec(error)?.slice(1).join(':') ?? error)
    if (status !== 0 && places.length === 0) throw new Error(stdout)
    return [...new Set(places)].sort()
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function files(): string[] {
  return readdirSync(here).filter((name) => name.endsWith('.test-d.ts') || name === 'jobs.ts')
}

/** The line after each directive. */
function expected(): string[] {
  const places = files().flatMap((name) =>
    readFileSync(join(here, name), 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.includes(directive) ? [`${name}:${index + 2}`] : [])),
  )
  return places.sort()
}

test('what should compile compiles, with the types that it should have', () => {
  expect(complaints((text) => text)).toEqual([])
})

test('every wrong use is really reported by the compiler, in its own line and nowhere else', () => {
  expect(expected().length).toBeGreaterThan(20)
  expect(complaints((text) => text.replaceAll(directive, 'wrong'))).toEqual(expected())
})

test('a type that is not the expected one is reported too', () => {
  const swapped = complaints((text) =>
    text.replace('expectTypeOf(handle.id).toEqualTypeOf<JobId>()', 'expectTypeOf(handle.id).toEqualTypeOf<string>()'),
  )
  expect(swapped).toEqual([expect.stringMatching(/^enqueue\.test-d\.ts:\d+$/)])
})
