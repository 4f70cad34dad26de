/** Steps and events, from the app's side: what a job has done so far, and what its waits wait for. */
import type { JobId } from '../../job/lease.ts'
import type { EmitAnswer, EmitCommand } from '../../persistence/commands/emit.ts'
import type { StepRow } from '../../persistence/step-row.ts'
import type { Services } from '../services.ts'
import { answer, type CallAnswer } from './answer.ts'

/** What the app says of an event. */
export type EmittedEvent = Pick<EmitCommand, 'id' | 'event' | 'key' | 'payload' | 'to'>

/** Calls about steps and events. */
export interface StepCalls {
  steps(id: JobId): Promise<CallAnswer<readonly StepRow[] | null>>
  emit(event: EmittedEvent): Promise<CallAnswer<EmitAnswer['outcome']>>
}

/** How many events are kept for waits that come later. */
const eventsKeptMax = 100_000

/** Makes the calls about steps and events. */
export function stepCalls({ store, committer, clock, dispatcher, config }: Services): StepCalls {
  return {
    steps: (id) => answer(() => store.steps(id)),
    emit: (event) =>
      answer(async () => {
        const command = { ...event, type: 'emit', now: clock.wall(), keepMs: config.eventKeepMs, keepMax: eventsKeptMax } as const
        const { outcome } = await committer.submit(command)
        dispatcher.wake()
        return outcome
      }),
  }
}
