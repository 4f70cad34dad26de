/** Handlers that ask the supervisor. */
import { defineJobs, job } from '../../../../src/job/definition.ts'

export default defineJobs({
  reads: job({
    async run(key: string, ctx) {
      return ctx.kv.get(key)
    },
  }),
  setsAndForgets: job({
    run(times: number, ctx) {
      for (let time = 0; time < times; time++) void ctx.kv.set('k', time)
      return 'done'
    },
  }),
  setsAndAwaits: job({
    async run(times: number, ctx) {
      const sets = Array.from({ length: times }, (_, time) => ctx.kv.set(`k${time}`, time))
      await new Promise(setImmediate)
      ctx.progress(null, 'asked')
      await Promise.all(sets)
      return times
    },
  }),
  wantsWrongKeys: job({
    async run(_input: undefined, { kv }) {
      const said: unknown[] = []
      for (const key of ['', 'x'.repeat(501), '\ud800', 7 as never])
        await kv.get(key).catch((error: { code: string }) => said.push(error.code))
      await kv.set('k', () => 1).catch((error: { code: string }) => said.push(error.code))
      await kv.list({ limit: 0 }).catch((error: { code: string }) => said.push(error.code))
      return said
    },
  }),
})
