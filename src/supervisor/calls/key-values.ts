/** The app's own hand in the key-value state of a kind. */
import type { KeyValueOperation, KeyValueOutcome } from '../../job/key-value.ts'
import type { Services } from '../services.ts'
import { answer, type CallAnswer } from './answer.ts'

/** Calls that read and write key-value state. */
export interface KeyValueCalls {
  keyValue(kind: string, operation: KeyValueOperation): Promise<CallAnswer<KeyValueOutcome>>
}

/** Makes the calls that read and write key-value state. */
export function keyValueCalls({ committer, clock }: Services): KeyValueCalls {
  return {
    keyValue: (kind, operation) =>
      answer(async () => {
        const { outcome } = await committer.submit({ type: 'key-value', now: clock.wall(), by: { kind }, operation })
        return outcome
      }),
  }
}
