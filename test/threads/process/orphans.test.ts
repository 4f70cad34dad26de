import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { realClock } from '../../../src/clock.ts'
import { killGroup, killOrphan, startTimeOf } from '../../../src/threads/process-group.ts'
import { gone, isAlive } from '../../support/threads/processes.ts'

const clock = realClock()
const owner = fileURLToPath(new URL('../pool/jobs/own-a-child.ts', import.meta.url))

/** A process whose pool has a child at work; resolves with both. */
async function ownerOf(kind: string): Promise<{ owner: ChildProcess; child: number }> {
  const process = fork(owner, [kind])
  const [pid] = await once(process, 'message')
  return { owner: process, child: Number(pid) }
}

test.each(['spins', 'hangsInNative'])('%s: a child dies with its parent, even by SIGKILL and whatever it does', async (kind) => {
  const { owner, child } = await ownerOf(kind)
  expect(isAlive(child)).toBe(true)
  owner.kill('SIGKILL')
  await gone(child)
})

test('a child that could not notice (it was stopped) is ended by whoever cleans up, by id and start time', async () => {
  const { owner, child } = await ownerOf('spins')
  const startTime = startTimeOf(child)
  expect(startTime).not.toBeNull()
  process.kill(child, 'SIGSTOP')
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  expect(isAlive(child)).toBe(true)
  expect(await killOrphan({ pid: child, startTime }, clock)).toBe('killed')
  expect(isAlive(child)).toBe(false)
  expect(await killOrphan({ pid: child, startTime }, clock)).toBe('gone')
})

test('a process that only has the id of a dead one is left alone', async () => {
  const { owner, child } = await ownerOf('spins')
  expect(await killOrphan({ pid: child, startTime: 'another boot:1' }, clock)).toBe('gone')
  expect(await killOrphan({ pid: child, startTime: null }, clock)).toBe('unknown')
  expect(isAlive(child)).toBe(true)
  owner.kill('SIGKILL')
  await gone(child)
})

test.each([0, 1, -1, Number.NaN])('the group %d is never killed: it would be ourselves, everybody, or nobody', (pid) => {
  expect(() => killGroup(pid)).toThrow('No process group')
})
