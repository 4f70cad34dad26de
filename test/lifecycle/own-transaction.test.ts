import { expect, test } from 'vitest'
import { enqueueStatement } from '../../src/index.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'
import { plainConnection } from '../support/store/scratch.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)

test("a job is there, and runs, if and only if the app's own transaction commits", async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const db = plainConnection(scratch.database)
  db.exec('CREATE TABLE uploads (file TEXT)')
  const upload = db.transaction((file: string, fails: boolean) => {
    const { id, sql, params } = runtime.enqueueStatement('echo', { file })
    db.prepare('INSERT INTO uploads (file) VALUES (?)').run(file)
    db.prepare(sql).run(...params)
    if (fails) throw new Error(id)
    return id
  })
  const { promise: started, resolve } = Promise.withResolvers<string>()
  runtime.on('started', ({ jobId }) => resolve(jobId))

  let undone = ''
  expect(() => {
    try {
      upload('undone.png', true)
    } catch (error) {
      undone = (error as Error).message
      throw error
    }
  }).toThrow()
  const id = upload('kept.png', false)
  expect(await started).toBe(id)
  expect(await (await runtime.handle<'echo'>(id)).result()).toEqual({ file: 'kept.png' })
  expect(await runtime.get(undone)).toBeNull()
  expect(db.prepare('SELECT file FROM uploads').pluck().all()).toEqual(['kept.png'])
})

test('the statement needs no runtime', async () => {
  using scratch = new Scratch()
  await (await openRuntime(scratch, undefined, { threads: 0 })).close()
  const { id, sql, params } = enqueueStatement('echo', 'later')
  plainConnection(scratch.database)
    .prepare(sql)
    .run(...params)
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  expect(await (await runtime.handle<'echo'>(id)).result()).toBe('later')
})
