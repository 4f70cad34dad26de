import { defineJobs, job, type KindDatabaseOptions } from 'reeve'
import { z } from 'zod'

const env = z.object({
  CRAWL_SITES: z.string().transform((list) => list.split(' ')),
  CRAWL_PAGES: z.string().default('pages.db'),
})

/** What is known of the sites. A page without a title was found and not fetched yet. */
const sqlite: KindDatabaseOptions = {
  file: process.env['CRAWL_PAGES'] ?? 'pages.db',
  migrations: [{ name: 'pages', up: 'CREATE TABLE pages (url TEXT PRIMARY KEY, title TEXT) STRICT, WITHOUT ROWID' }],
}

export default defineJobs({
  /** Looks for pages, at every tick. A site that is down fails the tick, and the next one is its retry. */
  discover: job({
    env,
    sqlite,
    schedule: { every: '1s', catchUp: 'skip' },
    budget: 'next-tick',
    retry: { attemptsMax: 100, backoff: 'next-tick' },
    async run(_input: undefined, ctx) {
      const { sqlite } = ctx
      const found = sqlite.prepare('INSERT INTO pages (url) VALUES (?) ON CONFLICT DO NOTHING')
      for (const site of ctx.env.CRAWL_SITES) {
        if (ctx.signal.aborted) break // the budget is used up: the other sites are for the next tick
        const answer = await ctx.timing(`links of ${site}`, () => fetch(new URL('/links', site), { signal: ctx.signal }))
        if (!answer.ok) throw new Error(`${site} answered ${answer.status}`)
        for (const path of (await answer.json()) as string[]) found.run(new URL(path, site).href)
      }
      const left = sqlite.prepare<[], string>('SELECT url FROM pages WHERE title IS NULL').pluck().all()
      // One job a page, also where the last tick has asked for it already; the sites take turns.
      for (const url of left) ctx.enqueue('page', url, { group: new URL(url).host, unique: { key: url } })
      return { left: left.length }
    },
  }),

  /** Fetches one page. A site that puts up a wall holds back its own pages, and nobody else's. */
  page: job({
    sqlite,
    async run(url: string, ctx) {
      const answer = await fetch(url, { signal: ctx.signal })
      if (answer.status === 429) return ctx.releaseGroup(`${Number(answer.headers.get('retry-after') ?? 60)}s`)
      if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
      const title = /<title>(.*?)<\/title>/.exec(await answer.text())?.[1] ?? ''
      ctx.sqlite.prepare('UPDATE pages SET title = ? WHERE url = ?').run(title, url)
      return title
    },
  }),
})
