/** Steps: what each gives back, and what it takes. */
import { expectTypeOf } from 'vitest'
import { job, type Steps } from '../../src/index.ts'

declare const step: Steps
const resize = job({ run: (input: { file: string }) => input.file.length })

/** Steps that are right. */
export async function right(): Promise<void> {
  expectTypeOf(await step.run('a', () => 7)).toEqualTypeOf<number>()
  expectTypeOf(await step.run('b', async ({ signal, attempt }) => ({ signal, attempt }))).toEqualTypeOf<{
    signal: AbortSignal
    attempt: number
  }>()
  expectTypeOf(await step.sleep('c', '2h')).toEqualTypeOf<void>()
  expectTypeOf(await step.sleepUntil('d', new Date(0))).toEqualTypeOf<void>()
  expectTypeOf(await step.waitForEvent<{ by: string }>('e', { event: 'x' })).toEqualTypeOf<{ by: string } | null>()
  expectTypeOf(await step.waitForEvent('f', { event: 'x', match: 'k', timeout: '1d' })).toEqualTypeOf<unknown>()
  expectTypeOf(await step.invoke('g', resize, { file: 'a' }, { priority: 1 })).toEqualTypeOf<number>()
  expectTypeOf(await step.invoke('h', 'resize', { file: 'a' })).toEqualTypeOf<unknown>()
}

/** Steps that are wrong. */
export function wrong(): void {
  // @ts-expect-error: not the input of the kind
  void step.invoke('a', resize, { file: 1 })
  // @ts-expect-error: a wait needs its event
  void step.waitForEvent('b', { match: 'k' })
  // @ts-expect-error: no duration
  void step.sleep('c', 'soon')
  // @ts-expect-error: an invoked job waits for nobody else
  void step.invoke('d', 'resize', {}, { after: [] })
}
