/** `ctx.kv`: each operation is a question to the supervisor, which runs it under the attempt's lease. */
import { type KeyValues, keyValuesOf } from '../../job/key-values.ts'
import { ask } from './ask.ts'
import type { Desk } from './desk.ts'
import type { LiveRun } from './live-run.ts'

/** Makes the key-value state of a run's kind. */
export function makeKeyValues(run: LiveRun, desk: Desk): KeyValues {
  const { jobId, token } = run.assignment
  let writes = 0
  return keyValuesOf({
    ask: (operation) => ask<'key-value'>(run, desk, { type: 'key-value', operation }),
    newVersion: () => `${jobId}/${token}/${++writes}`,
    payloadBytesMax: desk.payloadBytesMax,
  })
}
