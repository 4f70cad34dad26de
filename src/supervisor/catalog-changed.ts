/** The one place that knows who goes by the options of the kinds. */
import type { Dispatcher } from '../actors/dispatcher.ts'
import type { Scheduler } from '../actors/scheduler.ts'
import type { KindCatalog } from '../job/kind.ts'

/** Called with what the first thread has loaded, and again after each reload. */
export function catalogChanged(
  { dispatcher, scheduler }: { readonly dispatcher: Dispatcher; readonly scheduler: Scheduler },
  catalog: KindCatalog,
): void {
  dispatcher.useKinds(catalog)
  scheduler.useKinds(catalog)
}
