import { appendFileSync } from 'node:fs'
import { type Duration, defineJobs, type JobContext, job } from '../../../src/index.ts'

/** Notes that a body is inside, and that it left: two inside at once stand out. */
const visit = async (file: string, who: string, ms: number) => {
  appendFileSync(file, `in ${who}\n`)
  await new Promise((resolve) => setTimeout(resolve, ms))
  appendFileSync(file, `out ${who}\n`)
}

interface Visit {
  readonly file: string
  readonly who: string
  readonly ms?: number
}

const visits = ({ file, who, ms = 5 }: Visit, ctx: JobContext) =>
  ctx.lock('door', async ({ token }) => {
    await visit(file, who, ms)
    return token
  })

export default defineJobs({
  visits: job({ run: visits }),
  visitsInAProcess: job({ isolation: 'process', run: visits }),
  holdsForEver: job({
    timeout: '300ms',
    retry: { attemptsMax: 1 },
    run: (_: undefined, ctx) =>
      ctx.lock('door', () => {
        ctx.progress(null, 'inside')
        for (;;);
      }),
  }),
  fails: job({
    retry: { attemptsMax: 1 },
    run: (_: undefined, ctx) =>
      ctx.lock('door', () => {
        throw new Error('inside')
      }),
  }),
  nests: job({
    retry: { attemptsMax: 1 },
    run: (_: undefined, ctx) => ctx.lock('door', () => ctx.lock('door', () => 'never')),
  }),
  takesTurns: job({
    run: (_: undefined, ctx) => Promise.all(['a', 'b', 'c'].map((name) => ctx.lock('door', async () => name))),
  }),
  tries: job({
    retry: { attemptsMax: 1 },
    run: (wait: boolean | Duration, ctx) =>
      ctx.lock('door', () => 'inside', { wait }).catch((error: Error) => `${error.name} ${(error as { code?: string }).code}`),
  }),
  isExclusive: job({
    exclusive: ['door'],
    run: (_: undefined, ctx) => ctx.lock('door', () => 'never').catch((error: { code?: string }) => error.code),
  }),
  outstays: job({
    run: (_: undefined, ctx) =>
      ctx.lock(
        'door',
        ({ signal }) =>
          new Promise<string>((resolve) =>
            signal.addEventListener('abort', () => resolve((signal.reason as { code: string }).code)),
          ),
        { ttl: '50ms' },
      ),
  }),
})
