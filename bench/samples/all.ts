/** Every sample by name, in the order in which a round takes them: each subject right after its baseline. */
import { piscinaCpu, piscinaNoop } from './bare-piscina.ts'
import { bareSqlite } from './bare-sqlite.ts'
import { bareInsert, reeveEnqueueMany } from './enqueue-many.ts'
import { idle } from './loop-delay.ts'
import { reeveCpu, reeveLatency, reeveNoop, reeveNoopByEvents } from './reeve.ts'
import type { Sample } from './sample.ts'

/** The samples. */
export const samples = {
  'sqlite-process': bareSqlite('NORMAL'),
  'sqlite-power': bareSqlite('FULL'),
  'piscina-noop': piscinaNoop,
  'reeve-noop-process': reeveNoop('process'),
  'reeve-noop-power': reeveNoop('power'),
  'reeve-noop-process-events': reeveNoopByEvents('process'),
  'piscina-cpu': piscinaCpu,
  'reeve-cpu': reeveCpu('power'),
  idle,
  'sqlite-insert': bareInsert,
  'reeve-enqueue-many': reeveEnqueueMany,
  'reeve-latency-process': reeveLatency('process'),
  'reeve-latency-power': reeveLatency('power'),
} as const satisfies Record<string, Sample>

/** The name of a sample. */
export type SampleName = keyof typeof samples

/** Whether there is a sample of this name. */
export function isSampleName(name: string): name is SampleName {
  return Object.hasOwn(samples, name)
}
