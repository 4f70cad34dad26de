/** Kinds that cut their work into steps. `file` is where each body that really runs leaves a line. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { setTimeout as later } from 'node:timers/promises'
import { defineJobs, type JobContext, job } from '../../../src/index.ts'

/** Leaves a line, and gives the value on. */
function ran<T>(file: string, what: string, value?: T): T {
  appendFileSync(file, `${what}\n`)
  return value as T
}

/** Fails until the given attempt. */
function failBefore(attempt: number, ctx: JobContext): void {
  if (ctx.attempt < attempt) throw new Error(`attempt ${ctx.attempt} is too early`)
}

const retry = { attemptsMax: 5, backoff: { base: 5, jitter: 0 } } as const

interface InFile {
  readonly file: string
}

const half = job({
  retry: { attemptsMax: 2, backoff: { base: 1, jitter: 0 } },
  run({ number, failsIn = '' }: { number: number; failsIn?: string }) {
    if (failsIn !== '' && !existsSync(failsIn)) throw Object.assign(new RangeError('not today'), { code: 'E_DAY' })
    return number / 2
  },
})

export default defineJobs({
  half,
  /** Invokes others, one after the other and beside each other. */
  invokes: job({
    async run({ number }: { number: number }, { step }) {
      const first = await step.invoke('first', half, { number })
      const [second, third] = await Promise.all([
        step.invoke('second', half, { number: first }, { queue: 'other', priority: 3 }),
        step.invoke<number>('third', 'half', { number: first + 2 }),
      ])
      return first + second + third
    },
  }),
  invokesLater: job({
    run: (_: undefined, { step }) =>
      step.invoke('later', half, { number: 1 }, { delay: '1h' }).catch((error: Error) => error.message),
  }),
  /** Goes on from the failure of what it invoked, or not. */
  invokesInVain: job({
    retry: { attemptsMax: 2, backoff: { base: 1, jitter: 0 } },
    async run({ file, failsIn, goesOn }: InFile & { failsIn: string; goesOn: boolean }, { step, attempt }) {
      ran(file, `attempt ${attempt}`)
      try {
        return await step.invoke('try', half, { number: 4, failsIn })
      } catch (error) {
        if (!goesOn) throw error
        const { code, cause } = error as Error & { code: string; cause: Error & { code: string } }
        await step.sleep('nap', 1)
        return [code, cause.code]
      }
    },
  }),
  /** Two steps around a failure of the handler itself. */
  retried: job({
    retry,
    async run({ file }: InFile, ctx) {
      const first = await ctx.step.run('first', () => {
        return ran(file, 'first', { at: new Date(5), big: 7n, large: 'x'.repeat(20_000) })
      })
      failBefore(3, ctx)
      const second = await ctx.step.run('second', async () => ran<undefined>(file, 'second'))
      return { at: first.at, big: first.big, length: first.large.length, second, attempt: ctx.attempt }
    },
  }),
  sleeps: job({
    retry,
    async run({ file, ms }: InFile & { ms: number }, { step, attempt }) {
      ran(file, `run ${attempt}`)
      await step.sleep('nap', ms)
      await step.sleepUntil('past', 0)
      return attempt
    },
  }),
  waits: job({
    async run({ match, timeout }: { match?: string; timeout?: number }, { step }) {
      const options = { event: 'paid', ...(match !== undefined && { match }) }
      const first = await step.waitForEvent<number>('first', timeout === undefined ? options : { ...options, timeout })
      const second = await step.waitForEvent<number>('second', options)
      return [first, second]
    },
  }),
  /** Steps beside each other, one of them a wait. */
  parallel: job({
    async run({ file, ms }: InFile & { ms: number }, { step }) {
      const body = (name: string) =>
        step.run(name, async () => {
          await later(20)
          return ran(file, name, name.toUpperCase())
        })
      const all = await Promise.all([body('a'), step.sleep('nap', ms), body('b'), step.waitForEvent('go', { event: 'go' })])
      return [...all, await body('c')]
    },
  }),
  /** An error that is caught and gone on from, then a wait, so that the handler runs again. */
  compensates: job({
    async run({ file }: InFile, { step }) {
      const paid = await step
        .run('pay', () => {
          ran(file, 'pay')
          throw Object.assign(new RangeError('no money'), { code: 'E_POOR' })
        })
        .catch((error: RangeError & { code: string }) => `${error.name} ${error.code}: ${error.message}`)
      await step.sleep('nap', 1)
      await step.run('tell', () => ran(file, `tell ${paid}`))
      return paid
    },
  }),
  /** Catches the error of a step, goes on from it, and fails; `mended` is there once somebody has mended it. */
  brokenWorld: job({
    retry: { attemptsMax: 1 },
    async run({ file, mended }: InFile & { mended: string }, { step }) {
      await step.run('good', () => ran(file, 'good'))
      const bad = await step
        .run('bad', () => {
          ran(file, 'bad')
          if (!existsSync(mended)) throw new Error('no')
          return 'mended'
        })
        .catch((error: Error) => error.message)
      await step.run('told', () => ran(file, `told ${bad}`))
      if (bad !== 'mended') throw new Error('gives up')
      return bad
    },
  }),
  /** A wait after a word that ends the attempt: the word stands. */
  snoozesFirst: job({
    async run({ file }: InFile, { step, snooze }) {
      ran(file, 'run')
      if (readFileSync(file, 'utf8').length > 5) return 'done'
      try {
        snooze(1)
      } catch {
        await step.sleep('nap', '1h')
      }
      return 'never'
    },
  }),
  /** The error of a step that ends the attempt: the next one does the step again. */
  failsIn: job({
    retry,
    run: ({ file }: InFile, ctx) =>
      ctx.step.run('flaky', () => {
        ran(file, `try ${ctx.attempt}`)
        failBefore(3, ctx)
        return ctx.attempt
      }),
  }),
  triesWithin: job({
    async run({ file }: InFile, { step, attempt }) {
      const done = await step.run(
        'flaky',
        ({ attempt: tried }) => {
          ran(file, `try ${tried}`)
          if (tried < 3) throw new Error('not yet')
          return tried
        },
        { retry: { attemptsMax: 4, backoff: { base: 1, jitter: 0 } } },
      )
      const late = await step
        .run('late', ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))), {
          timeout: 20,
        })
        .catch((error: Error & { code: string }) => error.code)
      return [done, late, attempt]
    },
  }),
  /** One name for two steps. */
  duplicate: job({
    retry: { attemptsMax: 1 },
    async run(_: undefined, { step }) {
      await step.run('same', () => 1)
      await step.run('same', () => 2)
    },
  }),
  /** Another code in each attempt, as after a deploy. */
  changed: job({
    retry: { attemptsMax: 2, backoff: { base: 1, jitter: 0 } },
    async run({ to }: { to: 'type' | 'names' }, { step, attempt }) {
      if (attempt === 1) {
        await step.run('old', () => 1)
        throw new Error('deploy')
      }
      if (to === 'type') await step.sleep('old', '1h')
      return step.run('new', () => 2)
    },
  }),
  many: job({
    retry: { attemptsMax: 1 },
    async run({ count }: { count: number }, { step }) {
      for (let index = 0; index < count; index++) await step.run(`step ${index}`, () => index)
    },
  }),
  /** Something that is no step beside a wait: it is cut off. */
  beside: job({
    async run({ file }: InFile, { step, signal }) {
      signal.addEventListener('abort', () => ran(file, `aborted: ${(signal.reason as Error).message.slice(-40)}`))
      await step.sleep('nap', 30)
      return 'done'
    },
  }),
  inProcess: job({
    isolation: 'process',
    async run({ file }: InFile, { step }) {
      const first = await step.run('first', () => ran(file, 'first', 1))
      await step.sleep('nap', 1)
      const paid = await step.waitForEvent<number>('paid', { event: 'paid' })
      return [first, paid]
    },
  }),
})
