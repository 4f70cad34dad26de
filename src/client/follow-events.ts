/** The stream of events as `runtime.events` gives it: page after page, as fast as the reader takes them and no faster. */
import { optionInvalid, ReeveError } from '../errors.ts'
import { type QueueEvent, type QueueEventType, queueEventTypes } from '../job/queue-event.ts'
import type { EventsPage, EventsQuery } from '../persistence/event-log.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'

const pageMax = 500

/** Which events to follow. */
export interface EventsOptions {
  /** The cursor of an event: those behind it. `'start'`: from the oldest that is kept. Default: those that happen from now on. */
  readonly after?: string
  /** Only these types; default all. */
  readonly types?: readonly QueueEventType[]
  /** Ends the stream, without an error. */
  readonly signal?: AbortSignal
}

/**
 * Checks the options.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`.
 */
export function eventsQuery({ after, types }: EventsOptions): EventsQuery {
  const known: readonly string[] = queueEventTypes
  if (types !== undefined && !(Array.isArray(types) && types.every((type) => known.includes(type))))
    throw optionInvalid('types', types, `a list of ${known.join(', ')}`)
  return { after: placeOf(after), types: types ?? null, limit: pageMax }
}

function placeOf(after: string | undefined): EventsQuery['after'] {
  if (after === undefined) return 'end'
  if (after === 'start') return 'start'
  const [place = 0] = decodeCursor('event', after, 1, 'after')
  return place
}

/** Gives the events of page after page; a page is asked for when the one before has been taken. */
export async function* followEvents<Kind extends string>(
  query: EventsQuery,
  signal: AbortSignal | undefined,
  ask: (query: EventsQuery) => Promise<EventsPage | null>,
): AsyncGenerator<QueueEvent<Kind>, void, undefined> {
  let { after } = query
  while (!isAborted(signal)) {
    const page = await orAbort(pageAfterRestart({ ...query, after }, ask), signal)
    if (page === 'aborted') return
    if (page === 'again') continue
    if (page === null) throw eventsOff()
    if (page.isPruned) throw eventsPruned()
    for (const { seq, ...event } of page.events) {
      yield { cursor: encodeCursor('event', [seq]), ...event, kind: event.kind as Kind }
      if (isAborted(signal)) return
    }
    after = page.cursor
  }
}

/** Asked anew each time: it changes while the reader works. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

/** The supervisor thread may die while it is asked: the next one knows as much, for the place is here and the events are in the file. */
async function pageAfterRestart(
  query: EventsQuery,
  ask: (query: EventsQuery) => Promise<EventsPage | null>,
): Promise<EventsPage | null | 'again'> {
  try {
    return await ask(query)
  } catch (error) {
    if (error instanceof ReeveError && error.code === 'REEVE_SUPERVISOR_DIED') return 'again'
    throw error
  }
}

async function orAbort<T>(page: Promise<T>, signal: AbortSignal | undefined): Promise<T | 'aborted'> {
  if (signal === undefined) return page
  const { promise: aborted, resolve } = Promise.withResolvers<'aborted'>()
  const onAbort = () => resolve('aborted')
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([page, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
    page.catch(() => undefined)
  }
}

function eventsOff(): ReeveError {
  return new ReeveError(
    'REEVE_EVENTS_OFF',
    'This database keeps no stream of events; open a runtime on it with the option eventLog: true.',
  )
}

function eventsPruned(): ReeveError {
  return new ReeveError(
    'REEVE_EVENTS_PRUNED',
    "Events behind this cursor are gone: they were pruned, or the stream was off when they happened. Go on with after: 'start', and look at the jobs themselves for what was missed.",
  )
}
