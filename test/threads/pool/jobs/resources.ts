/** Kinds with a `setup`, and what they say of themselves by a file: a worker that leaves has no other way. */
import { appendFileSync } from 'node:fs'
import { env, pid } from 'node:process'
import { threadId } from 'node:worker_threads'
import { defineJobs, job } from '../../../../src/job/definition.ts'

const say = (what: string) => appendFileSync(env['REEVE_TEST_FILE'] ?? '', `${what}\n`)

let made = 0
const openDatabase = async () => {
  say('setup')
  return { number: ++made, pid, threadId }
}
let failures = 0

export default defineJobs({
  opens: job({
    setup: openDatabase,
    teardown: ({ number }) => say(`teardown ${number}`),
    run: (_input: undefined, { resource }) => resource,
  }),
  opensToo: job({ setup: openDatabase, run: (_input: undefined, { resource }) => resource }),
  alone: job({ run: () => 'alone' }),
  opensLater: job({
    setup: () => 'second',
    async teardown() {
      await new Promise((resolve) => setTimeout(resolve, 20))
      say('teardown second')
      throw new Error('it would not close')
    },
    run: (_input: undefined, { resource }) => resource,
  }),
  method: job({
    path: '/models',
    setup() {
      return (this as unknown as { path: string }).path
    },
    run: (_input: undefined, { resource }: { readonly resource: string }) => resource,
  } as never),
  fails: job({
    setup() {
      say(`setup that fails, ${++failures}`)
      throw new RangeError('no model')
    },
    run: () => say('ran'),
  }),
  failsUnawaited: job({
    async setup() {
      setTimeout(() => {
        throw new TypeError('in a timer')
      }, 1)
      await new Promise(() => undefined)
    },
    run: () => say('ran'),
  }),
  hangs: job({
    setup: () => new Promise<never>(() => undefined),
    run: () => say('ran'),
  }),
  spins: job({
    setup() {
      say('spinning')
      for (;;);
    },
    run: () => say('ran'),
  }),
  neverCloses: job({
    setup: () => 1,
    teardown: () => new Promise<void>(() => undefined),
    run: () => 'ran',
  }),
})
