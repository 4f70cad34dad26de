/** What happened in a program, so that a test can tell a check that never ran. */
import type { JobId } from '../../../src/job/lease.ts'
import type { JobState } from '../../../src/job/state.ts'
import type { Answer, Command } from '../../../src/persistence/commands/command.ts'
import type { JobRow } from '../../../src/persistence/job-row.ts'

/** Adds what one commit did. */
export function note(
  reached: Set<string>,
  commands: readonly Command[],
  {
    before,
    after,
    answers,
  }: { readonly before: readonly JobRow[]; readonly after: readonly JobRow[]; readonly answers: readonly Answer[] },
): void {
  for (const answer of answers) {
    reached.add(answer.type === 'key-value' ? `key-value ${answer.outcome.type}` : answer.type)
    if (answer.type === 'refused') reached.add(`refused: ${answer.refusal.reason}`)
    if (answer.type === 'enqueued') for (const { result } of answer.placed ?? []) reached.add(`enqueued: ${result}`)
  }
  if (after.some(({ parent }) => parent !== null)) reached.add('child')
  for (const { error } of after) if (error?.code === 'REEVE_JOB_CRASHED') reached.add('crashed')
  for (const answer of answers) {
    if (answer.type === 'claimed' && answer.jobs.some(({ isSuspect }) => isSuspect)) reached.add('suspect claimed')
    if (answer.type === 'claimed' && answer.jobs.some(({ group }) => group !== null)) reached.add('group claimed')
    if (answer.type === 'claimed' && answer.limited) reached.add('met a full limit')
    if (answer.type === 'claimed' && answer.jobs.length === 0 && answer.nextRunAt !== null) reached.add('told of a later time')
    if (answer.type === 'claimed' && answer.suspectsDue && answer.jobs.length > 0) reached.add('suspect skipped')
  }
  const [command] = commands
  if (command === undefined || commands.length > 1) return
  const steered = new Set(
    answers.flatMap((answer) => (answer.type === 'steered' ? answer.jobs : [])).map(({ id }) => id as string),
  )
  const states = new Map(before.map(({ id, state }) => [id, state]))
  for (const { id, state } of after) {
    const was = states.get(id)
    if (was !== undefined && was !== state) reached.add(`${was} to ${state} by ${causeOf(command, steered, id, was, state)}`)
  }
}

function causeOf(command: Command, steered: ReadonlySet<string>, id: JobId, was: JobState, state: JobState): string {
  const isOwn = (command.type === 'cancel' && command.jobId === id) || (command.type === 'steer' && steered.has(id))
  if (was === 'suspended' && !isOwn) return state === 'ready' ? 'release' : 'dependency-failed'
  if (command.type === 'steer') return command.act.type
  return command.type === 'settle' ? command.settlement.type : command.type
}
