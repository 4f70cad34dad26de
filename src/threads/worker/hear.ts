/** What the supervisor says to a worker, on a thread or in a child process. */
import type { SupervisorWord } from '../protocol.ts'
import { type Desk, hearAnswer, hearStop } from './desk.ts'
import { execute } from './execute.ts'
import { leave } from './set-up.ts'

/** Takes up an assignment, or passes a word on to the run that it is meant for. */
export function hear(desk: Desk, word: SupervisorWord): void {
  if (word.type === 'assignment') void execute(word.assignment, desk)
  else if (word.type === 'answered') hearAnswer(desk, word)
  else if (word.type === 'leave') void leave(desk)
  else hearStop(desk, word)
}
