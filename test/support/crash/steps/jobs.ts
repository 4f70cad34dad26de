/** A flow with every kind of step, which kills its own process at the point that it is told. */
import { appendFileSync } from 'node:fs'
import { env } from 'node:process'
import { defineJobs, job } from '../../../../src/index.ts'

/** Where the process may be killed, in the order in which a run without trouble comes by. */
export const points = [
  ...['begin', 'before a', 'after a', 'a remembered', 'slept', 'before b', 'after b', 'joined', 'c failed'],
  ...['c caught', 'after d', 'd remembered', 'end'],
] as const

/** One of them. */
export type Point = (typeof points)[number]

/** Nothing gets a chance to tidy up: no handler, no `exit` listener, no COMMIT that was not made. */
function point(name: Point): void {
  if (env['KILL_AT'] === name) process.kill(process.pid, 'SIGKILL')
}

export default defineJobs({
  flow: job({
    retry: { attemptsMax: 50, backoff: { base: 1, jitter: 0 } },
    async run({ ledger }: { ledger: string }, { step, attempt }) {
      const write = (what: string): string => {
        const line = `${what} ${Math.random()}`
        appendFileSync(ledger, `${line}\n`)
        return line
      }
      point('begin')
      const a = await step.run('a', () => {
        point('before a')
        const line = write('a')
        point('after a')
        return line
      })
      point('a remembered')
      await step.sleep('nap', 30)
      point('slept')
      const [b, go] = await Promise.all([
        step.run('b', () => {
          point('before b')
          const line = write('b')
          point('after b')
          return line
        }),
        step.waitForEvent<number>('go', { event: 'go', timeout: '1h' }),
      ])
      point('joined')
      const c = await step
        .run('c', (): string => {
          throw new Error(write('c'))
        })
        .catch((error: Error) => {
          point('c failed')
          return error.message
        })
      const again = await step.waitForEvent<number>('again', { event: 'go', timeout: 40 })
      point('c caught')
      const d = await step.run('d', () => {
        const line = write(`d after ${c}`)
        point('after d')
        return line
      })
      point('d remembered')
      await step.sleep('last', 1)
      point('end')
      return { a, b, c, d, go, again, attempt }
    },
  }),
})
