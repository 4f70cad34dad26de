/** How much memory a kind's threads or child processes may have, and the check of it. */
import { optionInvalid } from '../errors.ts'

/**
 * Where a kind's handler runs: on a thread of this process, or in a child process that a crash, a native hang or a
 * SIGKILL cannot spread from.
 */
export type Isolation = 'thread' | 'process'

/** Limits of one thread or child process of a kind, in MiB; absent ones are the runtime's, else Node's. */
export interface KindMemory {
  /** The JavaScript heap, from 8. In a child process that fills it V8 aborts, and the attempt fails with SIGABRT. */
  readonly heapMb?: number
  /** The stack of a thread, from 1; Node's default is 4. */
  readonly stackMb?: number
  /**
   * Buffers of a thread, which no limit of V8 counts, from 1. Sampled four times a second: a handler that stays above
   * it for two looks is ended, and a thread that keeps so much after a job is replaced. Buffers that wait to be collected
   * are counted, and a handler inside native code cannot be looked at.
   */
  readonly maxExternalMb?: number
  /** The whole resident memory of a child process, from 32. Sampled four times a second; Linux only. */
  readonly rssMb?: number
}

const least: Readonly<Record<keyof KindMemory, number>> = { heapMb: 8, stackMb: 1, maxExternalMb: 1, rssMb: 32 }
const most: Readonly<Record<keyof KindMemory, number>> = {
  heapMb: 1_048_576,
  stackMb: 1_024,
  maxExternalMb: 1_048_576,
  rssMb: 1_048_576,
}
const meantFor: Readonly<Partial<Record<keyof KindMemory, Isolation>>> = {
  stackMb: 'thread',
  maxExternalMb: 'thread',
  rssMb: 'process',
}

/**
 * Checks `isolation`.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 */
export function checkIsolation(value: unknown, option: string): Isolation {
  if (value === 'thread' || value === 'process') return value
  throw optionInvalid(option, value, "'thread' or 'process'")
}

/**
 * Checks the memory limits of a kind.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 */
export function checkMemory(memory: unknown, isolation: Isolation, option: string): KindMemory {
  const names = Object.keys(least) as (keyof KindMemory)[]
  if (typeof memory !== 'object' || memory === null) throw optionInvalid(option, memory, `an object with ${names.join(', ')}`)
  for (const [name, value] of Object.entries(memory)) {
    const known = names.find((one) => one === name)
    if (known === undefined) throw optionInvalid(`${option}.${name}`, value, `one of the names ${names.join(', ')}`)
    if (!Number.isInteger(value) || value < least[known] || value > most[known])
      throw optionInvalid(`${option}.${name}`, value, `a whole number from ${least[known]} to ${most[known]}`)
    const fit = meantFor[known] ?? isolation
    if (fit !== isolation) throw optionInvalid(`${option}.${name}`, value, `nothing here: it limits isolation '${fit}' only`)
  }
  return memory
}
