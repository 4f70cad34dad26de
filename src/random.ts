/** Randomness, injected, so that a seed replays a run. A leaf. */
import { randomBytes } from 'node:crypto'

/** The only source of chance for the runtime. */
export interface Random {
  /** A number in [0, 1), as `Math.random`. */
  next(): number
  /** A new id that sorts by the time it was made (UUID version 7, RFC 9562), unique across processes. */
  id(wallMs: number): string
}

/** Ids made within one millisecond keep their order through this counter (RFC 9562, section 6.2, method 1). */
let lastMs = 0
let counter = 0
let pool = Buffer.alloc(0)
let used = 0

function bytes8(): Buffer {
  if (used + 8 > pool.length) {
    pool = randomBytes(4096)
    used = 0
  }
  used += 8
  return pool.subarray(used - 8, used)
}

/** Real randomness: `Math.random` for jitter, the operating system's for ids. */
export const realRandom: Random = {
  next: Math.random,
  id(wallMs) {
    if (wallMs > lastMs) {
      lastMs = wallMs
      counter = 0
    } else if (++counter > 0xfff) {
      lastMs++
      counter = 0
    }
    const time = lastMs.toString(16).padStart(12, '0')
    const tail = bytes8().toString('hex')
    const variant = ((Number.parseInt(tail[0] as string, 16) & 0x3) | 0x8).toString(16)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}`
  },
}
