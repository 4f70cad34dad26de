/** A fixed amount of work for the processor. Counted in rounds, not in time, so that a busy machine makes it slower, not smaller. */

/** Does `rounds` rounds of integer arithmetic; the result keeps the compiler from leaving them out. */
export function spin(rounds: number): number {
  let hash = 2_166_136_261
  for (let round = 0; round < rounds; round++) hash = Math.imul(hash ^ (round & 255), 16_777_619)
  return hash
}

/** How many rounds take about `ms` on this machine, now: the median of several tries, once the code is compiled. */
export function roundsFor(ms: number): number {
  const rounds = 1_000_000
  spin(rounds * 5)
  const tries = Array.from({ length: 9 }, () => {
    const begunAt = performance.now()
    spin(rounds)
    return performance.now() - begunAt
  })
  const middle = tries.toSorted((a, b) => a - b)[4] ?? 1
  return Math.round((rounds * ms) / middle)
}
