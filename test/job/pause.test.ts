import { expect, test } from 'vitest'
import { pauseTarget, pauseTerms } from '../../src/job/pause.ts'

test.each<[unknown, RegExp]>([
  ['mail', /'target' is 'mail'; accepted: { queue }, { kind } or { queue, group }/],
  [{}, /'target' is an object/],
  [{ group: 'a' }, /'target' is an object/],
  [{ queue: 'a', kind: 'b' }, /'target' is an object/],
  [{ queue: '' }, /'target.queue' is ''/],
])('the target %o is refused', (target, message) => {
  expect(() => pauseTarget(target)).toThrow(message)
})

test.each<[object, RegExp]>([
  [{ until: 'soon' }, /'until' is 'soon'/],
  [{ until: new Date(Number.NaN) }, /'until' is 'Invalid Date'/],
  [{ reason: 7 }, /'reason' is 7/],
])('the terms %o are refused', (terms, message) => {
  expect(() => pauseTerms(terms)).toThrow(message)
})

test('terms that are left out are null, and a Date is a time', () => {
  expect(pauseTerms({})).toEqual({ until: null, reason: null })
  expect(pauseTerms({ until: new Date(5), reason: 'why' })).toEqual({ until: 5, reason: 'why' })
})
