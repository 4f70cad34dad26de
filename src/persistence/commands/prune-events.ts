/** Prune events: the command that forgets the oldest events, and its answer. */

/** Forgets all events up to this one. */
export interface PruneEventsCommand {
  readonly type: 'prune-events'
  readonly through: number
}
/** They are gone. */
export interface PruneEventsAnswer {
  readonly type: 'events-pruned'
}
