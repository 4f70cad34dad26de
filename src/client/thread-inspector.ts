/**
 * Reads the JavaScript stack of a thread that is about to be ended, through Node's inspector: a session of the app's
 * thread sees every worker of the process, nested ones too. Nothing is opened before the first question, and
 * never while a debugger is attached: the pause would be the debugger's.
 */
import inspector from 'node:inspector'
import type { Clock } from '../clock.ts'
import type { StackFrame } from '../job/stack-frame.ts'

/** A thread that has given a sign of life is not in native code: it gets this many times the bound to pause. */
const graceForTheLiving = 10

interface ScriptParsed {
  readonly scriptId: string
  readonly url: string
}

interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber?: number }
}

/** Whether a debugger is attached: it stops threads on purpose, and its pauses are its own. */
export function debuggerIsAttached(): boolean {
  return inspector.url() !== undefined
}

/**
 * The frames of the thread, innermost first; null where it gave no sign within `boundMs`; undefined where it was not
 * found, was too slow, or the inspector is not ours to use. The thread runs on afterwards.
 */
export async function framesOfThread(
  threadId: number,
  boundMs: number,
  clock: Clock,
): Promise<readonly StackFrame[] | null | undefined> {
  if (debuggerIsAttached()) return undefined
  const session = new inspector.Session()
  session.connect()
  try {
    return await pauseAndRead(session, threadId, boundMs, clock)
  } finally {
    session.disconnect()
  }
}

function pauseAndRead(
  session: inspector.Session,
  threadId: number,
  boundMs: number,
  clock: Clock,
): Promise<readonly StackFrame[] | null | undefined> {
  return new Promise((resolve) => {
    let sessionId: string | undefined
    let alive = false
    let finished = false
    const urls = new Map<string, string>()
    const tell = (id: number, method: string) => {
      if (sessionId !== undefined)
        session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id, method }) })
    }
    const finish = (frames: readonly StackFrame[] | null | undefined) => {
      if (finished) return
      finished = true
      timer.cancel()
      // A pause that is still to come must not hold the thread: with the debugger off there is none.
      tell(3, 'Debugger.resume')
      tell(4, 'Debugger.disable')
      resolve(frames)
    }
    let timer = clock.after(boundMs, () => finish(sessionId === undefined ? undefined : null))
    const isAlive = () => {
      timer.cancel()
      timer = clock.after(boundMs * graceForTheLiving, () => finish(undefined))
      alive = true
    }
    session.on('NodeWorker.attachedToWorker', ({ params }) => {
      if (finished || sessionId !== undefined || !isThread(params.workerInfo.title, threadId)) return
      sessionId = params.sessionId
      tell(1, 'Debugger.enable')
      tell(2, 'Debugger.pause')
    })
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      // A word that comes after the answer must not arm the timer anew: the session is closed by then.
      if (finished || params.sessionId !== sessionId) return
      if (!alive) isAlive()
      const { method, params: event } = JSON.parse(params.message) as { method?: string; params?: unknown }
      if (method === 'Debugger.scriptParsed') {
        const { scriptId, url } = event as ScriptParsed
        urls.set(scriptId, url)
      } else if (method === 'Debugger.paused')
        finish((event as { callFrames: readonly CallFrame[] }).callFrames.map((frame) => frameOf(frame, urls)))
    })
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  })
}

/** Node names a worker `[worker 7] …` after its thread id. */
function isThread(title: string, threadId: number): boolean {
  return title.startsWith(`[worker ${threadId}]`)
}

function frameOf({ functionName, url, location }: CallFrame, urls: ReadonlyMap<string, string>): StackFrame {
  const { scriptId, lineNumber, columnNumber = 0 } = location
  return { functionName, url: url === '' ? (urls.get(scriptId) ?? '') : url, line: lineNumber + 1, column: columnNumber + 1 }
}
