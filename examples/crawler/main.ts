/**
 * A crawler that is polite. In one terminal a site that puts up a wall every few pages, in another one the crawler; Ctrl-C ends it, and
 * what it has found is there when it is started again:
 *
 *     node examples/crawler/site.ts 8080
 *     CRAWL_SITES="http://localhost:8080" node examples/crawler/main.ts
 */
import { once } from 'node:events'
import { createRuntime } from 'reeve'
import type jobs from './jobs.ts'

const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await using runtime = await createRuntime<typeof jobs>({
  database: process.env['CRAWL_JOBS'] ?? 'crawl-jobs.db',
  jobs: new URL('./jobs.ts', import.meta.url),
  threads: 2,
})
runtime.on('completed', ({ kind, result }) => kind === 'page' && console.log(`fetched: ${String(result)}`))
runtime.on('snoozed', ({ kind }) => console.log(`a site does not want to be asked for a ${kind} now`))
runtime.on('retrying', ({ error }) => console.log(`again at the next tick: ${error.message}`))
runtime.on('error', ({ error }) => console.error(error.message))
await stopped
