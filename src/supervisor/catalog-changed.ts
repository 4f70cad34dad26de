/** The one place that knows who goes by the options of the kinds. */
import type { Dispatcher } from '../actors/dispatcher.ts'
import type { LimitKeeper } from '../actors/limit-keeper.ts'
import type { Scheduler } from '../actors/scheduler.ts'
import type { KindCatalog } from '../job/kind.ts'

/** Those who do. */
export interface KindUsers {
  readonly dispatcher: Dispatcher
  readonly scheduler: Scheduler
  readonly limitKeeper: LimitKeeper
}

/** Called with what the first thread has loaded, and again after each reload. */
export function catalogChanged({ dispatcher, scheduler, limitKeeper }: KindUsers, catalog: KindCatalog): void {
  dispatcher.useKinds(catalog, limitKeeper.useKinds(catalog))
  scheduler.useKinds(catalog)
}
