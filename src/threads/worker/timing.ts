/** Makes `ctx.timing`. The begin and the end of each stretch are words of their own: a handler may never come to the end. */
import { monoNow } from '../../clock.ts'
import { optionInvalid } from '../../errors.ts'
import { type TimingCall, type TimingSpan, type TimingWord, timingLabelMax, timingsMax } from '../../job/timing.ts'
import { type Desk, post } from './desk.ts'
import type { LiveRun } from './live-run.ts'

/** Makes the call for one run. */
export function makeTiming(run: LiveRun, desk: Desk): TimingCall {
  let begun = 0
  const tell = (word: TimingWord) => post(desk, { type: 'timing', run: run.assignment.run, word })
  const sinceStart = () => Math.round((monoNow() - run.startedAt) * 1_000) / 1_000
  const begin = (label: unknown): TimingSpan => {
    if (typeof label !== 'string' || label === '') throw optionInvalid('timing(label)', label, 'a text that is not empty')
    const timing = begun++
    let isOpen = timing < timingsMax && !run.over
    if (isOpen) tell({ timing, label: label.slice(0, timingLabelMax), startMs: sinceStart() })
    const end = () => {
      if (!isOpen || run.over) return
      isOpen = false
      tell({ timing, endMs: sinceStart() })
    }
    return { end, [Symbol.dispose]: end }
  }
  function timing(label: string): TimingSpan
  function timing<T>(label: string, work: () => T): T
  function timing<T>(label: string, work?: () => T): TimingSpan | T {
    const span = begin(label)
    if (work === undefined) return span
    let result: T
    try {
      result = work()
    } catch (error) {
      span.end()
      throw error
    }
    if (!isThenable(result)) {
      span.end()
      return result
    }
    // What the work returns is handed on as it is: a promise of its own kind keeps its methods.
    result.then(span.end, span.end)
    return result
  }
  return timing
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
