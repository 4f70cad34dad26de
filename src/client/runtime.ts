/** The runtime as the app's thread sees it: it never opens the database; it sends messages to the supervisor thread. */
import { type Duration, durationMs } from '../duration.ts'
import type { Jobs } from '../job/definition.ts'
import type { RuntimeEventName, RuntimeEvents } from './events.ts'
import type { RuntimeOptions } from './options.ts'
import { RuntimeCore } from './runtime/core.ts'
import { Pausing } from './runtime/pausing.ts'

const closeTimeoutDefault = '10s'

/**
 * A running Reeve. Made by {@link createRuntime}. Its surface is written in lines, each a class of the folder `runtime/` that
 * extends the one before; this is the last: events, drain and close.
 */
export class Runtime<J extends Jobs = Jobs> extends Pausing<J> implements AsyncDisposable {
  /** @internal */
  static async open<J extends Jobs>(options: RuntimeOptions<J>): Promise<Runtime<J>> {
    return new Runtime(await RuntimeCore.open(options))
  }

  private constructor(core: RuntimeCore<J>) {
    super(core)
  }

  /**
   * Calls `listener` for each event; events that nobody listens to are not even sent. Returns the function that ends it.
   *
   * @example
   * ```ts
   * const off = runtime.on('discarded', ({ jobId, error }) => console.error(jobId, error))
   * ```
   */
  on<E extends RuntimeEventName>(event: E, listener: (event: RuntimeEvents<J>[E]) => void): () => void {
    return this.core.events.on(event, listener)
  }

  /**
   * Claims and fires nothing more, and resolves when all that runs here has ended. After `timeout` (default: none) handlers are
   * asked to stop, and after their grace their threads are ended; their jobs are `ready` again, uncharged.
   */
  async drain(options: { readonly timeout?: Duration } = {}): Promise<void> {
    const timeoutMs = durationMs(options.timeout ?? Number.POSITIVE_INFINITY, 'timeout', { infinite: true })
    await this.core.thread.call((calls) => calls.drain(timeoutMs))
  }

  /**
   * Drains (with `timeout`, default 10 s), closes the database and ends all threads. Waits that are still open are
   * rejected with `REEVE_RUNTIME_CLOSED`; the jobs stay. Calling it twice is fine.
   */
  close(options: { readonly timeout?: Duration } = {}): Promise<void> {
    const timeoutMs = durationMs(options.timeout ?? closeTimeoutDefault, 'timeout', { infinite: true })
    return this.core.close(timeoutMs)
  }

  /** Closes the runtime at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Lets the process end while this runtime is open. What runs then is interrupted, and runs again at the next start. */
  unref(): this {
    this.core.thread.keepAlive(false)
    return this
  }

  /** Undoes {@link Runtime.unref}. */
  ref(): this {
    this.core.thread.keepAlive(true)
    return this
  }
}
