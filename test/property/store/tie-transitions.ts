/** The invariants of one transition that are about ties between jobs: unique keys, dependencies, children. */
import { isDeepStrictEqual } from 'node:util'
import type { NewJob } from '../../../src/job/new-job.ts'
import { isTerminal } from '../../../src/job/state.ts'
import type { JobRow } from '../../../src/persistence/job-row.ts'
import { pairs, type Step } from './step.ts'

/** The jobs that the step was to insert. */
function givenTo({ command }: Step): readonly NewJob[] {
  return command.type === 'enqueue' ? command.jobs : []
}

/** Children that the step may have inserted: those of a settle that took effect. */
export function bornOf(step: Step): readonly NewJob[] {
  const { command } = step
  if (command.type !== 'settle' || command.settlement.type !== 'complete') return []
  const completed = pairs(step).some(
    ({ was, is }) =>
      was.id === command.lease.jobId && was.token === command.lease.token && was.state === 'running' && is.state === 'completed',
  )
  return completed ? (command.settlement.children ?? []) : []
}

/** The ids that must be there after the step, and were not before. */
export function insertedBy(step: Step): string[] {
  const children = bornOf(step).filter(({ unique }) => unique === undefined)
  const { answer } = step
  if (answer.type !== 'enqueued') return children.map(({ id }) => id)
  const elsewhere = new Set(answer.placed?.filter(({ result }) => result !== 'follow-up').map(({ index }) => index))
  return givenTo(step)
    .filter((_, index) => !elsewhere.has(index))
    .map(({ id }) => id)
}

/** Whether the step may have put another input into a row: only one that waits, and only by an enqueue of its key. */
export function mayReplace(step: Step, { uniqueKey, state }: JobRow): boolean {
  if (uniqueKey === null || state === 'running' || isTerminal(state)) return false
  return [...givenTo(step), ...bornOf(step)].some(
    ({ unique }) => unique?.key === uniqueKey && ['replace', 'latest', 'debounce'].includes(unique.conflict),
  )
}

/** By name, as `violations` names them. */
export const tieChecks: Readonly<Record<string, (step: Step) => boolean>> = {
  /** Refused, it has changed nothing; else a job stands for each that was given. */
  'enqueue-atomic'(step) {
    const { answer, before, after } = step
    if (answer.type === 'refused') return isDeepStrictEqual(before, after)
    if (answer.type !== 'enqueued') return true
    const standIns = new Map(answer.placed?.map(({ index, jobId }) => [index, jobId as string]))
    const there = new Set<string>(after.map(({ id }) => id))
    return givenTo(step).every(({ id }, index) => there.has(standIns.get(index) ?? id))
  },

  /** Whoever is named has the key and was there. */
  'duplicate-gets-the-original'(step) {
    const { answer, after } = step
    const keyOf = (jobId: string) => after.find(({ id }) => id === jobId)?.uniqueKey
    if (answer.type === 'refused')
      return answer.refusal.reason !== 'duplicate' || isHolderOf(step, answer.refusal.holder, answer.refusal.key)
    if (answer.type !== 'enqueued') return true
    const jobs = givenTo(step)
    // An id that was there before is left as it is, whatever is asked of it now.
    const isNew = (index: number) => !step.before.some(({ id }) => id === jobs[index]?.id)
    return (answer.placed ?? []).every(({ index, jobId, result }) => {
      const isOther = result === 'existing' || result === 'replaced'
      return isOther === (jobId !== jobs[index]?.id) && (!isNew(index) || keyOf(jobId) === jobs[index]?.unique?.key)
    })
  },

  /** Whom a command made ready, or ended, besides its own job: that wakes whoever claims, and whoever waits. */
  'moves-are-told'(step) {
    const { answer } = step
    if (!('moved' in answer)) return movedBy(step).length === 0
    if (answer.moved === null) return true
    const told = new Map(answer.moved?.map(({ id, state }) => [id as string, state as string]))
    return movedBy(step).every(({ id, state }) => told.get(id) === state)
  },
}

/** The holder may have come with the same, refused command; then its row is gone with it. */
function isHolderOf(step: Step, holder: string, key: string): boolean {
  const row = step.before.find(({ id }) => id === holder)
  if (row !== undefined) return row.uniqueKey === key
  return givenTo(step).some(({ id, unique }) => id === holder && unique?.key === key)
}

function movedBy(step: Step): JobRow[] {
  const { command, answer } = step
  const own = new Set<string>(command.type === 'cancel' ? [command.jobId] : [])
  if (answer.type === 'steered') for (const { id } of answer.jobs) own.add(id)
  return pairs(step)
    .filter(({ was, is }) => was.state === 'suspended' && is.state !== 'suspended' && !own.has(is.id))
    .map(({ is }) => is)
}
