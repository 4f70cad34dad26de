/** The client's side of a supervisor thread that only notes what it is sent. */
import type { ClientMessage } from '../../../src/supervisor/messages.ts'

/** Takes messages; answers nothing by itself. */
export class FakeThread {
  readonly sent: ClientMessage[] = []

  send(message: ClientMessage): void {
    this.sent.push(message)
  }

  /** What was sent since the last call. */
  take(): readonly ClientMessage[] {
    return this.sent.splice(0)
  }
}
