/** Circuit breakers, said as plainly as can be: how many failures in a row, and which job is let through to look. */
import type { ClaimCommand } from '../../../src/persistence/commands/claim.ts'
import type { SettleCommand } from '../../../src/persistence/commands/settle.ts'
import type { Model, ModelJob } from './model.ts'

interface ModelBreaker {
  failures: number
  until: number | null
  cooldownMs: number
  trial: { readonly id: string; readonly token: number } | null
}

/** The breakers of one file, by kind. */
export class ModelBreakers {
  readonly #breakers = new Map<string, ModelBreaker>()

  /** A settle that took effect, on a job that is now as it led to; true where the breaker has opened. */
  settled({ breaker: settings, settlement, lease, now }: SettleCommand, { kind, state }: ModelJob): boolean {
    if (settings === undefined) return false
    const failed = settlement.type === 'fail' && state !== 'cancelled'
    if (!failed && state !== 'completed') return false
    const known = this.#breakers.get(kind) ?? { failures: 0, until: null, cooldownMs: 0, trial: null }
    const wasTried = known.trial?.id === lease.jobId && known.trial.token === lease.token
    if (known.until !== null && !wasTried) return false
    if (!failed) return this.#breakers.delete(kind) && false
    const failures = known.failures + 1
    const opens = known.until !== null || failures >= settings.failures
    const cooldownMs = known.until === null ? settings.cooldownMs : Math.min(known.cooldownMs * 2, settings.cooldownMaxMs)
    this.#breakers.set(kind, { failures, until: opens ? now + cooldownMs : null, cooldownMs, trial: null })
    return opens
  }

  /** Somebody closes one by hand. */
  close(kind: string): void {
    this.#breakers.delete(kind)
  }

  /** The clock was set back. */
  cut(now: number): void {
    for (const breaker of this.#breakers.values())
      if (breaker.until !== null) breaker.until = Math.min(breaker.until, now + breaker.cooldownMs)
  }

  /** Whether any is not closed, of those that the claim heeds. */
  hinder({ breakers }: Pick<ClaimCommand, 'breakers'>): boolean {
    return breakers.some((kind) => this.isOn(kind, { breakers }))
  }

  /** Whether that of a kind is not closed, and is heeded. */
  isOn(kind: string, { breakers }: Pick<ClaimCommand, 'breakers'>): boolean {
    return breakers.includes(kind) && (this.#breakers.get(kind)?.until ?? null) !== null
  }

  /** When a job may be taken: `Infinity` while another one is tried. */
  opensAt({ kind }: ModelJob, command: ClaimCommand, running: Model): number {
    const breaker = this.#breakers.get(kind)
    if (!this.isOn(kind, command) || breaker?.until == null) return 0
    const isTried = running.some(({ id, token }) => id === breaker.trial?.id && token === breaker.trial.token)
    return breaker.until <= command.now && isTried ? Number.POSITIVE_INFINITY : breaker.until
  }

  /** A job was taken; it has its new token in a moment. */
  taken({ id, kind, token }: ModelJob, command: ClaimCommand): void {
    const breaker = this.#breakers.get(kind)
    if (breaker !== undefined && this.isOn(kind, command)) breaker.trial = { id, token: token + 1 }
  }
}
