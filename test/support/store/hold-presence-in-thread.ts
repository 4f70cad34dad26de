/** A thread that holds a presence until it is terminated. */
import { parentPort, workerData } from 'node:worker_threads'
import { holdPresence } from '../../../src/persistence/sqlite/presence.ts'

holdPresence(workerData)
// A listener keeps the thread alive.
parentPort?.on('message', () => undefined)
parentPort?.postMessage('held')
