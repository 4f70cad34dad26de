/** The kinds of this runtime: which there are, and loading them anew. */
import type { ReloadReport } from '../../job/reload-report.ts'
import type { Services } from '../services.ts'
import { answer, type CallAnswer } from './answer.ts'

/** Calls about the kinds. */
export interface KindCalls {
  kinds(): Promise<CallAnswer<readonly string[]>>
  reload(): Promise<CallAnswer<ReloadReport>>
}

/** Makes the calls about the kinds. */
export function kindCalls({ reloader }: Services): KindCalls {
  return {
    kinds: () => answer(() => Object.keys(reloader.catalog)),
    reload: () => answer(() => reloader.reload()),
  }
}
