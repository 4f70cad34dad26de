/** Chance that a seed replays. */

/** The seed of this run: from `REEVE_SEED`, else a new one. */
export function seedOfRun(): number {
  const given = Number(process.env['REEVE_SEED'])
  return process.env['REEVE_SEED'] !== undefined && Number.isInteger(given) ? given : Math.floor(Math.random() * 2 ** 31)
}

/** Draws whole numbers from `least` to `most`, both included (mulberry32). */
export function drawsOf(seed: number): (least: number, most: number) => number {
  let state = seed | 0
  return (least, most) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return least + Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * (most - least + 1))
  }
}
