/** What every call of the client by comlink is answered with. */
import type { ErrorRecord } from '../../job/error-record.ts'
import { encodeError } from '../../threads/error-codec.ts'

/** An answer by comlink. Errors travel as data: comlink keeps only their name, message and stack. */
export type CallAnswer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: ErrorRecord }

/** Asks, and makes an answer of what comes back or is thrown. */
export async function answer<T>(ask: () => Promise<T> | T): Promise<CallAnswer<T>> {
  try {
    return { ok: true, value: await ask() }
  } catch (error) {
    return { ok: false, error: encodeError(error) }
  }
}
