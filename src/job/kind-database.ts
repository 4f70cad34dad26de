/** `sqlite` of a kind: a database of its own tables, as it is declared, and what is checked of it. */
import type { Database } from 'better-sqlite3'
import { optionInvalid } from '../errors.ts'
import { type KnownOptions, refuseUnknownOptions } from './known-options.ts'

const nameLengthMax = 200

/** What `ctx.sqlite` is: a connection of better-sqlite3, one for each worker. */
export type KindDatabase = Database

/** One step from an empty file to the tables that the handlers expect. */
export interface KindMigration {
  /** It stands in the file once it has run: never rename, reorder or change what has run somewhere. Add another one. */
  readonly name: string
  /** SQL, or a function that works on the database; either within a transaction that is not its own to end. */
  readonly up: string | ((db: KindDatabase) => void)
}

/** A database for a kind's own tables. */
export interface KindDatabaseOptions<File extends string | URL = string | URL> {
  /** Its file, a path or a `file:` URL: made where there is none, and never the queue's. */
  readonly file: File
  /** All of them, oldest first; whichever worker of whichever process comes first runs those that are missing. Default none. */
  readonly migrations?: readonly KindMigration[]
}

/** The type of `ctx.sqlite` for the file that was declared, if any. */
export type DatabaseOf<File> = [File] extends [never] ? undefined : KindDatabase

const known: KnownOptions<KindDatabaseOptions> = { file: true, migrations: true }
const knownOfMigration: KnownOptions<KindMigration> = { name: true, up: true }

/**
 * Checks the options; `option` is what they are called in the error. Two kinds that name one file must name the same migrations.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`.
 */
export function checkKindDatabase(options: KindDatabaseOptions, option: string): void {
  if (typeof options !== 'object' || options === null)
    throw optionInvalid(option, options, "an object with a file, such as { file: 'crawl.db', migrations: [] }")
  refuseUnknownOptions(options, known, `${option}.`)
  const { file, migrations = [] } = options
  const isFile = file instanceof URL ? file.protocol === 'file:' : typeof file === 'string' && !/^(\s*|:memory:)$/.test(file)
  if (!isFile) throw optionInvalid(`${option}.file`, String(file), 'the path of a file, or a file: URL')
  if (!Array.isArray(migrations)) throw optionInvalid(`${option}.migrations`, migrations, 'a list of { name, up }')
  const names = new Set<string>()
  for (const [index, migration] of (migrations as readonly KindMigration[]).entries()) {
    const its = `${option}.migrations[${index}]`
    if (typeof migration !== 'object' || migration === null) throw optionInvalid(its, migration, 'an object with name and up')
    refuseUnknownOptions(migration, knownOfMigration, `${its}.`)
    const { name, up } = migration
    if (typeof name !== 'string' || name === '' || name.length > nameLengthMax || names.has(name))
      throw optionInvalid(`${its}.name`, name, `a name of 1 to ${nameLengthMax} characters that no other one has`)
    if ((typeof up !== 'string' || up.trim() === '') && typeof up !== 'function')
      throw optionInvalid(`${its}.up`, up, 'SQL, or a function of the database')
    names.add(name)
  }
}
