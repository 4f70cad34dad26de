/**
 * The entry of a thread that does nothing but hold locks: one for each supervisor of this app whose inline handlers may be at
 * work. It is not the supervisor's own, so that they are not taken for a dead one's when that thread dies; and not the app's,
 * which never loads SQLite.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { OwnerId } from '../../job/lease.ts'
import { holdInlinePresence } from '../../persistence/sqlite/presence.ts'
import { encodeError } from '../../threads/error-codec.ts'
import type { PresenceAnswer, PresenceWish } from './presence-messages.ts'

const { database } = workerData as { readonly database: string }
const held = new Map<OwnerId, () => void>()

parentPort?.on('message', (wish: PresenceWish) => {
  if (wish.type === 'end') process.exit(0)
  if (wish.type === 'hold') return answer(hold(wish.owner))
  held.get(wish.owner)?.()
  held.delete(wish.owner)
})

function hold(owner: OwnerId): PresenceAnswer {
  try {
    if (!held.has(owner)) held.set(owner, holdInlinePresence({ database, owner }))
    return { owner, error: null }
  } catch (error) {
    return { owner, error: encodeError(error) }
  }
}

function answer(message: PresenceAnswer): void {
  parentPort?.postMessage(message)
}
