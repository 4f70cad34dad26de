/** Handlers that log. */
import { defineJobs, job } from '../../../src/index.ts'

export default defineJobs({
  talks: job({
    retry: { attemptsMax: 1 },
    run(_input: undefined, ctx) {
      ctx.log.debug('too fine')
      ctx.log.info({ width: 200 }, 'resizing')
      ctx.log.error(new TypeError('odd pixel'))
      throw new Error('and failed')
    },
  }),
  /** Its last lines must arrive although its thread is ended. */
  talksAndHangs: job({
    timeout: 60,
    retry: { attemptsMax: 1 },
    run(_input: undefined, ctx) {
      for (let line = 1; line <= 25; line++) ctx.log.info(`line ${line}`)
      for (;;);
    },
  }),
})
