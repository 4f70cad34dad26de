/** A gate that a handler waits at and a test opens, whichever threads of the process they run on. */

/** Handler: says that it is there, then waits until the gate is opened, or rejects with the reason of the signal. */
export async function passGate(name: string, atGate: () => void, signal?: AbortSignal): Promise<void> {
  const channel = new BroadcastChannel(name)
  try {
    await new Promise<void>((resolve, reject) => {
      channel.onmessage = () => resolve()
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      atGate()
    })
  } finally {
    channel.close()
  }
}

/** Test: lets through whoever waits at the gate at this moment, so wait for its word first: nobody else hears of it. */
export function openGate(name: string): void {
  const channel = new BroadcastChannel(name)
  channel.postMessage('open')
  channel.close()
}
