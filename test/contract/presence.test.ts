import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import type { Presence } from '../../src/persistence/presence.ts'
import { holdInlinePresence, holdPresence } from '../../src/persistence/sqlite/presence.ts'
import { inlinePresenceFile, presenceFile } from '../../src/persistence/sqlite/presence-file.ts'
import { ask, claimOne, enqueue, newJob, ownerId } from '../support/store/commands.ts'
import { openStore, plainConnection, scratchFile } from '../support/store/scratch.ts'

function hold(database: string, owner: string): Presence {
  const presence = holdPresence({ database, owner: ownerId(owner) })
  onTestFinished(() => presence.release())
  return presence
}

test('a live owner is registered and not dead, seen from the same process', async () => {
  const { file, otherOwners } = openStore()
  const ann = hold(file, 'ann')
  const bob = hold(file, 'bob')
  expect([ann.isDead(bob.owner), bob.isDead(ann.owner), ann.isDead(ann.owner)]).toEqual([false, false, false])
  expect(await otherOwners(ann.owner)).toEqual(['bob'])
})

test('probing neither frees the lock of the owner nor takes it', () => {
  const { file } = openStore()
  const ann = hold(file, 'ann')
  const bob = hold(file, 'bob')
  for (let probe = 0; probe < 20; probe++) expect(bob.isDead(ann.owner)).toBe(false)
  expect(() => hold(file, 'ann')).toThrow(expect.objectContaining({ code: 'REEVE_DATABASE_BUSY' }))
  expect(bob.isDead(ann.owner)).toBe(false)
})

test('a released owner is dead, and nothing of it is left', async () => {
  const { file, otherOwners } = openStore()
  const ann = hold(file, 'ann')
  const bob = hold(file, 'bob')
  ann.release()
  ann.release()
  expect(bob.isDead(ann.owner)).toBe(true)
  expect(existsSync(presenceFile(file, ann.owner))).toBe(false)
  expect(await otherOwners(bob.owner)).toEqual([])
})

test('an owner in another process is alive until that process is killed, and dead at once then', async () => {
  const { file, otherOwners } = openStore()
  const child = fork(fileURLToPath(new URL('../support/store/hold-presence-in-process.ts', import.meta.url)), {
    execArgv: ['--expose-gc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'message')
  child.send({ database: file, owner: 'ann' })
  await once(child, 'message')
  const bob = hold(file, 'bob')
  expect(bob.isDead(ownerId('ann'))).toBe(false)
  bob.forget(ownerId('ann'))
  expect(existsSync(presenceFile(file, ownerId('ann')))).toBe(true)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(bob.isDead(ownerId('ann'))).toBe(true)
  expect(await otherOwners(bob.owner)).toEqual(['ann'])
  bob.forget(ownerId('ann'))
  expect(existsSync(presenceFile(file, ownerId('ann')))).toBe(false)
  expect(await otherOwners(bob.owner)).toEqual([])
})

test('an owner on another thread of this process is alive until that thread is terminated', async () => {
  const { file } = openStore()
  const thread = new Worker(new URL('../support/store/hold-presence-in-thread.ts', import.meta.url), {
    workerData: { database: file, owner: 'ann' },
  })
  await once(thread, 'message')
  const bob = hold(file, 'bob')
  expect(bob.isDead(ownerId('ann'))).toBe(false)
  await thread.terminate()
  expect(bob.isDead(ownerId('ann'))).toBe(true)
})

test('an owner whose file is gone is dead; one whose file cannot be read counts as alive', () => {
  const { file } = openStore()
  const bob = hold(file, 'bob')
  expect(bob.isDead(ownerId('gone'))).toBe(true)
  const strange = presenceFile(file, ownerId('strange'))
  writeFileSync(strange, 'no database')
  expect(bob.isDead(ownerId('strange'))).toBe(false)
  bob.forget(ownerId('strange'))
  expect(existsSync(strange)).toBe(true)
  rmSync(strange)
})

test('a presence leaves no journal beside its file', () => {
  const { file } = openStore()
  hold(file, 'ann')
  hold(file, 'bob').isDead(ownerId('ann'))
  expect(readdirSync(dirname(file)).filter((name) => name.includes('-reeve-'))).toEqual([
    'jobs.db-reeve-ann',
    'jobs.db-reeve-bob',
  ])
})

test('what deaths halfway through a start have left is swept away: old, free, and of nobody who is registered', () => {
  const { file } = openStore()
  const ann = hold(file, 'ann')
  const [leftover, young, registered] = ['leftover', 'young', 'registered'].map((name) => presenceFile(file, ownerId(name)))
  for (const path of [leftover, young, registered]) writeFileSync(path ?? '', '')
  plainConnection(file).prepare('INSERT INTO reeve_supervisors (owner, pid) VALUES (?, 1)').run('registered')
  const now = Date.now()
  for (const path of [leftover, registered, presenceFile(file, ann.owner)]) utimesSync(path ?? '', 0, (now - 120_000) / 1_000)
  ann.sweep(now)
  expect(readdirSync(dirname(file)).filter((name) => name.includes('-reeve-'))).toEqual([
    'jobs.db-reeve-ann',
    'jobs.db-reeve-registered',
    'jobs.db-reeve-young',
  ])
})

test('an old file that is locked is not swept away, registered or not', () => {
  const { file } = openStore()
  const ann = hold(file, 'ann')
  const bob = hold(file, 'bob')
  plainConnection(file).exec("DELETE FROM reeve_supervisors WHERE owner = 'bob'")
  utimesSync(presenceFile(file, bob.owner), 0, 0)
  ann.sweep(Date.now())
  expect(ann.isDead(bob.owner)).toBe(false)
})

test('an end that meets a writer leaves a registered owner that is dead, and throws nothing', async () => {
  const { file, otherOwners } = openStore()
  const ann = hold(file, 'ann')
  const bob = hold(file, 'bob')
  const writer = plainConnection(file)
  writer.exec('BEGIN IMMEDIATE')
  ann.release()
  expect(() => bob.forget(ann.owner)).toThrow(expect.objectContaining({ code: 'REEVE_DATABASE_BUSY' }))
  writer.exec('COMMIT')
  expect([bob.isDead(ann.owner), await otherOwners(bob.owner)]).toEqual([true, ['ann']])
  bob.forget(ann.owner)
  expect(await otherOwners(bob.owner)).toEqual([])
})

test('an owner that is forgotten while it holds jobs is still listed, for its jobs', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  await claimOne(store, { owner: ownerId('ann') })
  expect(await store.otherOwners(ownerId('bob'))).toEqual(['ann'])
  expect(hold(store.file, 'bob').isDead(ownerId('ann'))).toBe(true)
})

test('where the register cannot be written, nothing is held', () => {
  const file = scratchFile()
  expect(() => hold(file, 'ann')).toThrow(expect.objectContaining({ code: 'REEVE_DATABASE_UNWRITABLE' }))
  expect(readdirSync(dirname(file))).toEqual([])
})

test.each([
  [':memory:', 'ann', "'database'"],
  ['jobs.db', '../ann', "'owner'"],
])('database %s with owner %s is refused', (database, owner, named) => {
  expect(() => hold(database, owner)).toThrow(
    expect.objectContaining({ code: 'REEVE_OPTION_INVALID', message: expect.stringContaining(named) }),
  )
})

test('an owner whose handlers run in the app is alive until they have returned, whatever became of its own lock', () => {
  const { file } = openStore()
  const ann = hold(file, 'ann')
  const bob = hold(file, 'bob')
  const returned = holdInlinePresence({ database: file, owner: ann.owner })
  ann.release()
  expect(bob.isDead(ann.owner)).toBe(false)
  bob.forget(ann.owner)
  expect(existsSync(inlinePresenceFile(file, ann.owner))).toBe(true)
  returned()
  returned()
  expect(bob.isDead(ann.owner)).toBe(true)
  expect(existsSync(inlinePresenceFile(file, ann.owner))).toBe(false)
})

test('what is left of the lock of a handler in the app is removed with its owner', () => {
  const { file } = openStore()
  const bob = hold(file, 'bob')
  writeFileSync(inlinePresenceFile(file, ownerId('ann')), '')
  expect(bob.isDead(ownerId('ann'))).toBe(true)
  bob.forget(ownerId('ann'))
  expect(existsSync(inlinePresenceFile(file, ownerId('ann')))).toBe(false)
})
