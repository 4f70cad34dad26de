import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OwnerId } from '../../src/job/lease.ts'
import { createChildRecord } from '../../src/persistence/sqlite/children.ts'
import { openDatabase } from '../../src/persistence/sqlite/open.ts'
import { holdPresence } from '../../src/persistence/sqlite/presence.ts'
import { Scratch } from '../support/runtime/open-runtime.ts'

const owner = 'ann' as OwnerId
let scratch: Scratch
let db: ReturnType<typeof openDatabase>

beforeEach(() => {
  scratch = new Scratch()
  db = openDatabase({ database: scratch.database, durability: 'process' })
})

afterEach(() => {
  db.close()
  scratch[Symbol.dispose]()
})

test('a child is on record from its start to its end, with what tells it from a later process of its id', async () => {
  const presence = holdPresence({ database: scratch.database, owner })
  const children = createChildRecord(db)
  await children.started(owner, { pid: 7, startTime: 'boot:1' })
  await children.started(owner, { pid: 8, startTime: null })
  expect(await children.of(owner)).toEqual([
    { pid: 7, startTime: 'boot:1' },
    { pid: 8, startTime: null },
  ])
  await children.started(owner, { pid: 7, startTime: 'boot:2' })
  await children.ended(owner, 8)
  expect(await children.of(owner)).toEqual([{ pid: 7, startTime: 'boot:2' }])
  expect(await children.of('bob' as OwnerId)).toEqual([])
  presence.release()
})

test('the children of an owner that is forgotten are forgotten with it', async () => {
  const presence = holdPresence({ database: scratch.database, owner })
  const children = createChildRecord(db)
  await children.started(owner, { pid: 7, startTime: 'boot:1' })
  presence.release()
  expect(await children.of(owner)).toEqual([])
})

test('an owner that is not registered has no children: the record would never go', async () => {
  await expect(createChildRecord(db).started(owner, { pid: 7, startTime: null })).rejects.toMatchObject({
    code: expect.stringContaining('REEVE_DATABASE'),
  })
})
