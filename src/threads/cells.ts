/**
 * The few numbers that a worker and the supervisor share without a message: when the present run's handler
 * started, and whether it is asked to stop. Both sides use this one layout.
 */
import type { StopReason } from '../job/kind.ts'

const reasons: readonly StopReason[] = ['timeout', 'cancel', 'drain', 'lease-lost']

/** Int32 slots; the start time is a BigInt64 behind them. */
const startedRunSlot = 0
const stopRunSlot = 1
const stopReasonSlot = 2
const startedAtSlot = 2
const byteLength = 24

/** One thread's cells. Every run has a number of its own, so that a late request never meets the next run. */
export class Cells {
  readonly buffer: SharedArrayBuffer
  readonly #int32: Int32Array
  readonly #int64: BigInt64Array

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(byteLength)) {
    this.buffer = buffer
    this.#int32 = new Int32Array(buffer)
    this.#int64 = new BigInt64Array(buffer)
  }

  /** Worker: the handler of `run` starts now. The time is written first, so that whoever sees the run sees its time. */
  stampStart(run: number): void {
    Atomics.store(this.#int64, startedAtSlot, process.hrtime.bigint())
    Atomics.store(this.#int32, startedRunSlot, run)
  }

  /** Supervisor: when the handler of `run` started, in monotonic milliseconds; null if it has not. */
  startedAt(run: number): number | null {
    if (Atomics.load(this.#int32, startedRunSlot) !== run) return null
    return Number(Atomics.load(this.#int64, startedAtSlot)) / 1e6
  }

  /** Supervisor: asks `run` to stop. The first reason stands. */
  requestStop(run: number, reason: StopReason): void {
    if (Atomics.load(this.#int32, stopRunSlot) === run) return
    Atomics.store(this.#int32, stopReasonSlot, reasons.indexOf(reason))
    Atomics.store(this.#int32, stopRunSlot, run)
  }

  /** Worker: why `run` is asked to stop, or null. Cheap enough for the inside of a hot loop. */
  stopReason(run: number): StopReason | null {
    if (Atomics.load(this.#int32, stopRunSlot) !== run) return null
    return reasons[Atomics.load(this.#int32, stopReasonSlot)] ?? null
  }
}
