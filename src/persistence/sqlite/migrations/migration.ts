/** What a migration is. A leaf, so that the list and its members need not import each other. */

/** One step of the schema. A migration that was released is never edited: the next one corrects it. */
export interface Migration {
  /** From 1, without gaps. */
  readonly version: number
  readonly name: string
  /** The tables that it adds, so that a table of ours can be told from somebody else's. */
  readonly tables: readonly string[]
  readonly sql: string
}
