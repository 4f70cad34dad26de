/** Handlers that enqueue. */
import { defineJobs, type JobId, job } from '../../../src/index.ts'

export default defineJobs({
  /** Enqueues a child for each name, and one after all of them; fails where it is told to. */
  parent: job({
    retry: { attemptsMax: 1 },
    run({ names, fails = false }: { names: readonly string[]; fails?: boolean }, ctx) {
      const children = names.map((name): JobId => ctx.enqueue('child', name, { correlationId: `of ${name}` }))
      const last = ctx.enqueue('child', 'last', { after: children })
      if (fails) throw new Error('after it has enqueued')
      return { children, last }
    },
  }),
  child: job({
    run: (name: string, ctx) => ({ name, parent: ctx.job.parent, root: ctx.job.root, correlationId: ctx.job.correlationId }),
  }),
  misuses: job({
    retry: { attemptsMax: 1 },
    run({ how }: { how: 'reject' | 'late' | 'many' | 'large' }, ctx) {
      if (how === 'reject') ctx.enqueue('child', 1, { unique: { key: 'a', conflict: 'reject' } })
      if (how === 'many') for (let count = 0; count <= 10_000; count++) ctx.enqueue('child')
      if (how === 'large') for (let count = 0; count < 3; count++) ctx.enqueue('child', 'x'.repeat(9 * 1024 * 1024))
      return 'done'
    },
  }),
})
