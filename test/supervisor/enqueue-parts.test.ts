import { expect, test } from 'vitest'
import { EnqueueParts } from '../../src/supervisor/enqueue-parts.ts'
import { newJob } from '../support/store/commands.ts'

const [a, b, c] = ['a', 'b', 'c'].map((name) => newJob(name)) as [
  ReturnType<typeof newJob>,
  ReturnType<typeof newJob>,
  ReturnType<typeof newJob>,
]

test('a call has the jobs of all its slices in order, once', () => {
  const parts = new EnqueueParts()
  parts.add(1, [a])
  parts.add(2, [c])
  parts.add(1, [b])
  expect(parts.take({ call: 1, jobs: [c], parts: 2 })).toEqual([a, b, c])
  expect(parts.take({ call: 1, jobs: [c], parts: 2 })).toBeNull()
  expect(parts.take({ call: 3, jobs: [a] })).toEqual([a])
})

test('a call of which a slice is missing, or was abandoned, has none', () => {
  const parts = new EnqueueParts()
  parts.add(1, [a])
  expect(parts.take({ call: 1, jobs: [c], parts: 2 })).toBeNull()
  parts.add(2, [a])
  parts.abandon(2)
  expect(parts.take({ call: 2, jobs: [c], parts: 1 })).toBeNull()
})
