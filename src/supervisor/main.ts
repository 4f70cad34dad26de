/**
 * The entry of the supervisor thread. It opens the database, builds the actors, starts them, and says `ready`; or it
 * says why not and ends. All its worker threads die with it, so ending it is always a clean way out.
 */

import { workerData } from 'node:worker_threads'
import * as comlink from 'comlink'
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs'
import { Repeater } from '../actors/repeater.ts'
import { coarseClock, realClock } from '../clock.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import type { OwnerId } from '../job/lease.ts'
import { realRandom } from '../random.ts'
import { encodeError } from '../threads/error-codec.ts'
import { childrenOf } from './children.ts'
import type { SupervisorStart } from './config.ts'
import { Host } from './host.ts'
import { openLogger } from './logging.ts'
import type { SupervisorMessage } from './messages.ts'
import { openPool } from './open-pool.ts'
import { openStore } from './open-store.ts'
import { registerOf } from './orphans.ts'
import { buildServices } from './services.ts'
import { StackQuestions } from './stack-questions.ts'
import { Supervisor } from './supervisor.ts'
import { watchFilesOf } from './watch-files.ts'

const { config, port, callPort, pulse, listened } = workerData as SupervisorStart

/** The client's watchdog takes a loop that stamps this no more for hung. */
const beats = new Int32Array(pulse)
const pulseEveryMs = 200

function send(message: SupervisorMessage): void {
  port.postMessage(message)
}

function trouble(error: ErrorRecord): void {
  send({ type: 'trouble', error })
}

/** Ends the thread after its last word. The client sees the exit; what was running is reclaimed by the next one. */
function giveUp(error: unknown): void {
  send({ type: 'failed', error: encodeError(error) })
  process.exit(1)
}

async function start(): Promise<void> {
  const clock = realClock()
  const coarse = coarseClock(clock)
  const logger = openLogger(config.logLevel, clock, (lines) => send({ type: 'log', lines }))
  const { store, presence, children } = await openStore(config, realRandom.id(clock.wall()) as OwnerId)
  const inspector = new StackQuestions({ boundMs: config.inspectMs, clock, send })
  const services = buildServices({
    config,
    store,
    presence,
    children,
    pool: openPool(config, clock, registerOf(children, presence.owner)),
    clock,
    coarse,
    random: realRandom,
    logger,
    inspector,
    watchFiles: config.watch && config.jobsUrl !== null ? watchFilesOf(config.jobsUrl) : null,
    trouble,
    reloaded: (report) => send({ type: 'reloaded', report }),
    outbox: {
      ended: (ends) => send({ type: 'ended', ends }),
      missing: (ids) => send({ type: 'missing', ids }),
      events: (events) => send({ type: 'events', events }),
    },
    failed: (child, error) => void supervisor.childFailed(child, error),
  })
  services.notifier.listen(listened)
  const supervisor = new Supervisor({ children: childrenOf(services), clock, logger, escalate: giveUp })
  new Repeater({ clock: coarse, everyMs: pulseEveryMs, round: async () => void Atomics.add(beats, 0, 1), failed: giveUp }).start()
  await supervisor.start()
  const host = new Host({ services, send, questions: inspector, close: () => supervisor.stop() })
  comlink.expose(host.calls(), nodeEndpoint(callPort))
  host.listen(port)
  send({ type: 'ready' })
}

start().catch(giveUp)
