/** What simulated handlers do. A kind is a behaviour; its settings are what a jobs module would say. */
import type { KindCatalog, KindSettings } from '../../../src/job/kind.ts'

/** How the handler of a kind behaves. */
export interface Script {
  /** `never`: the thread does not begin it under its first token. */
  readonly start?: 'never'
  /** What it does by itself. Absent: it goes on until it is stopped or killed. */
  readonly does?: 'return' | 'throw' | 'reject' | 'unknown' | 'exit'
  /** What it does once it is asked to stop. Absent: it does not listen. */
  readonly whenStopped?: 'throw' | 'return'
  /** How long after `terminate` its thread can exit: native code. */
  readonly nativeMs?: number
  /** It returns in the time between `terminate` and the exit. */
  readonly lastWord?: boolean
  readonly notes?: number
  /** How many values it writes by `ctx.kv` before it does anything else; it awaits each. */
  readonly writes?: number
  readonly settings?: KindSettings
}

const quick: KindSettings = { backoff: { baseMs: 5, maxMs: 5, factor: 1, jitter: 0.5 } }
const bounded: KindSettings = { ...quick, timeoutMs: 100, attemptsMax: 2 }

/** All behaviours by kind. */
export const scripts: Readonly<Record<string, Script>> = {
  returns: { does: 'return', settings: quick },
  throws: { does: 'throw', settings: { ...quick, attemptsMax: 2 } },
  chatty: { does: 'return', notes: 3, settings: quick },
  counts: { does: 'return', notes: 1, writes: 3, settings: quick },
  rejected: { does: 'reject', settings: quick },
  stranger: { does: 'unknown', settings: quick },
  dies: { does: 'exit', settings: { ...quick, attemptsMax: 2 } },
  endless: { settings: { ...bounded, timeoutGraceMs: 30, stopGraceMs: 60 } },
  native: { nativeMs: 3_000, settings: { ...bounded, stopGraceMs: 40 } },
  'last-word': { nativeMs: 20, lastWord: true, settings: { ...bounded, stopGraceMs: 40 } },
  obeys: { whenStopped: 'throw', settings: { ...quick, timeoutMs: 4_000, timeoutGraceMs: 50, attemptsMax: 2 } },
  'finishes-anyway': { whenStopped: 'return', settings: { ...quick, timeoutMs: 2_000, timeoutGraceMs: 200 } },
  'never-starts': { start: 'never', does: 'return', settings: { ...quick, timeoutMs: 50 } },
}

/** What the simulated jobs module reports. */
export const catalog: KindCatalog = Object.fromEntries(
  Object.entries(scripts).map(([kind, { settings }]) => [kind, settings ?? {}]),
)

/** The script of a kind. */
export function scriptOf(kind: string): Script {
  const script = scripts[kind]
  if (script === undefined) throw new Error(`no simulated handler is called '${kind}'`)
  return script
}
