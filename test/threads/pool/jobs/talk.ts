/** Handlers that are asked to stop, and handlers that say things. */
import { defineJobs, job } from '../../../../src/job/definition.ts'

export default defineJobs({
  waitsForSignal: job({
    async run(_input: undefined, { signal, progress }) {
      progress(null, 'waiting')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw signal.reason
    },
  }),
  readsSignalLate: job({
    run(_input: undefined, ctx) {
      ctx.progress(null, 'spinning')
      while (!ctx.stopRequested);
      return ctx.signal.aborted
    },
  }),
  throwsIfStopped: job({
    run(_input: undefined, ctx) {
      ctx.progress(null, 'spinning')
      for (;;) ctx.throwIfStopped()
    },
  }),
  throwsInAbortListener: job({
    async run(_input: undefined, { signal, progress }) {
      signal.addEventListener('abort', () => {
        throw new Error('listener broke')
      })
      progress(null, 'waiting')
      await new Promise(() => {})
    },
  }),
  reportsThenSpins: job({
    run(_input: undefined, ctx) {
      ctx.progress(0.25, 'a quarter')
      ctx.log.info('working')
      ctx.log.warn({ disk: 'full', err: new TypeError('odd') }, 'careful')
      ctx.log.error(new RangeError('too far'))
      ctx.log.debug({ handler: () => {} }, 'odd fields')
      ctx.progress(7, 'last words')
      for (;;);
    },
  }),
  oddFractions: job({
    run(_input: undefined, ctx) {
      for (const fraction of [Number.NaN, -1, 0.5, 2, null]) ctx.progress(fraction)
    },
  }),
  logsMuch: job({
    run(_input: undefined, ctx) {
      for (let line = 0; line < 300; line++) ctx.log.info(`line ${line}`)
      process.exit(1)
    },
  }),
})
