/** The line of a runtime that has to do with schedules. */
import type { Jobs } from '../../job/definition.ts'
import { Schedules } from '../schedules.ts'
import type { RuntimeCore } from './core.ts'
import { Reloading } from './reloading.ts'

/** Has schedules. */
export abstract class Scheduling<J extends Jobs> extends Reloading<J> {
  /** Schedules that are made and changed at run time, and those of the kinds. */
  readonly schedules: Schedules<J>

  /** @internal */
  protected constructor(core: RuntimeCore<J>) {
    super(core)
    this.schedules = new Schedules(core)
  }
}
