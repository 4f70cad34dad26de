/** Judges what came of every job of the crash demo. Pure. */

/** What is known of the jobs, by id, before and after the second process. */
export interface Evidence {
  readonly statesAtKill: ReadonlyMap<string, string>
  readonly statesAtEnd: ReadonlyMap<string, string>
  /** Ids of all handler starts of the first process, and of the second. */
  readonly startedBefore: readonly string[]
  readonly startedAfter: readonly string[]
}

/** Two promises: no acknowledged job is lost, and a job that had settled does not run again. */
export function judge({ statesAtKill, statesAtEnd, startedBefore, startedAfter }: Evidence): {
  readonly good: boolean
  readonly lines: readonly string[]
} {
  const unfinished = [...statesAtEnd].filter(([, state]) => state !== 'completed')
  const settledAtKill = [...statesAtKill].filter(([, state]) => state === 'completed').map(([id]) => id)
  const startedAgain = new Set(startedAfter)
  const ranAfterSettled = settledAtKill.filter((id) => startedAgain.has(id))
  const interrupted = [...new Set(startedBefore)].filter((id) => startedAgain.has(id))
  const startedTwice = startedAfter.length - startedAgain.size
  const good = unfinished.length === 0 && ranAfterSettled.length === 0 && startedTwice === 0 && settledAtKill.length > 0
  return {
    good,
    lines: [
      `${statesAtEnd.size} jobs were acknowledged; ${statesAtEnd.size - unfinished.length} have completed.`,
      `${settledAtKill.length} had settled at the kill; ${ranAfterSettled.length} of them ran again.`,
      `${interrupted.length} had begun and not settled; they ran again from their beginning, as they must.`,
      good ? 'VERDICT: good. Nothing was lost, and nothing that had settled ran twice.' : `VERDICT: bad. ${faults()}`,
    ],
  }

  function faults(): string {
    const list = (ids: readonly string[]) => ids.slice(0, 5).join(', ')
    return [
      unfinished.length > 0 && `Not completed: ${list(unfinished.map(([id]) => id))}.`,
      ranAfterSettled.length > 0 && `Ran again after they had settled: ${list(ranAfterSettled)}.`,
      startedTwice > 0 && `The second process started ${startedTwice} handlers more than it had jobs.`,
      settledAtKill.length === 0 && 'Nothing had settled at the kill, so nothing was shown.',
    ]
      .filter((fault) => fault !== false)
      .join(' ')
  }
}
