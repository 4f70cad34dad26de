import { expect, test } from 'vitest'
import { Scratch } from '../support/runtime/open-runtime.ts'
import { runProgram } from '../support/runtime/program.ts'

const program = new URL('./programs/failed-starts.ts', import.meta.url)

test('a start that fails is told, also to an app that nothing else keeps alive', async () => {
  using scratch = new Scratch()
  // Several at once, so that the death of a thread is not told in one breath.
  const ends = await Promise.all([1, 2, 3].map(() => runProgram(program, [scratch.file('no folder/jobs.db')])))
  for (const { code, stdout, stderr } of ends) {
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.trimEnd().split('\n')).toEqual(Array(10).fill('REEVE_DATABASE_UNWRITABLE'))
  }
})
