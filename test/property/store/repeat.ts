/** What may differ when a list of commands is run again. */
import type { Answer, Command } from '../../../src/persistence/commands/command.ts'

/**
 * An enqueue that came to nothing (a held key, a missing job, a full queue) can come to something when the list is run again,
 * after what followed it: nobody was told of the first run, so that is an enqueue like any other.
 */
export function isRepeatable(commands: readonly Command[]): boolean {
  const isTied = (command: Command) =>
    command.type === 'enqueue' &&
    (command.depthMax !== undefined || command.jobs.some(({ unique, after }) => unique !== undefined || after !== undefined))
  // A cancel of a child that its parent has not had yet finds it when the list is run again.
  const hasChildren = (command: Command) =>
    command.type === 'settle' && command.settlement.type === 'complete' && command.settlement.children !== undefined
  return commands.length === 1 || !commands.some((command) => isTied(command) || hasChildren(command))
}

/** What else was moved is held against the rows, and breakers against claims, not the model; a repeated command cannot tell it again. */
export function withoutMoves(answer: Answer): Answer {
  if (answer.type === 'settled') {
    const { moved, breaker, ...rest } = answer
    return rest
  }
  if (!('moved' in answer)) return answer
  const { moved, ...rest } = answer
  return rest
}
