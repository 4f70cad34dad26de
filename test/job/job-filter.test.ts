import { expect, test } from 'vitest'
import { type JobFilter, jobCriteria } from '../../src/job/job-filter.ts'

test('a filter is checked to plain data: points of time in milliseconds, absent fields left out', () => {
  const filter = { kinds: ['a'], states: ['discarded'], settledBefore: new Date(5), runAtAfter: 7, parent: undefined }
  expect(jobCriteria(filter as unknown as JobFilter)).toEqual({
    kinds: ['a'],
    states: ['discarded'],
    settledBefore: 5,
    runAtAfter: 7,
  })
})

test.each([
  [{ kind: 'a' }, "Option 'filter.kind' is 'a'; accepted: no such field; there are ids, kinds"],
  [{ kinds: 'a' }, "Option 'filter.kinds' is 'a'; accepted: a list of up to 100000 texts, none of them empty."],
  [{ states: ['dead'] }, "Option 'filter.states' is an array; accepted: a list of states: ready, running"],
  [{ createdBefore: new Date(Number.NaN) }, "Option 'filter.createdBefore' is 'Invalid Date'; accepted: a valid Date"],
  [{ createdAfter: '1d' }, "Option 'filter.createdAfter' is '1d'"],
  [{ errorCode: '' }, "Option 'filter.errorCode' is ''; accepted: a text that is not empty."],
  [null, "Option 'filter' is null; accepted: an object with some of ids, kinds"],
  [['id'], "Option 'filter' is an array"],
])('a filter %j is refused in words', (filter, message) => {
  expect(() => jobCriteria(filter as JobFilter)).toThrow(message)
})
