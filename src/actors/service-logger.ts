/** The part of a pino logger that services use. They never name pino, so a test passes whatever it likes. */
import type { LogLevel } from '../log-level.ts'

/** Writes structured records: what it is about first, then the sentence. */
export type ServiceLogger = Readonly<Record<LogLevel, (fields: object, message: string) => void>>
