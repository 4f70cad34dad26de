import { once } from 'node:events'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { Site, type SiteOptions } from '../../examples/crawler/site.ts'
import { buildIfStale } from '../support/built-package.ts'
import { startNode } from '../support/node-program.ts'
import { Scratch } from '../support/runtime/open-runtime.ts'
import { plainConnection } from '../support/store/scratch.ts'

beforeAll(buildIfStale)

async function open(options: SiteOptions) {
  const site = new Site(options)
  onTestFinished(() => void site.server.close())
  return { site, address: await site.listen() }
}

/** Resolves when the site has served so many pages. */
async function served(site: Site, pages: number): Promise<void> {
  while (site.served.length < pages) await once(site.server, 'request')
}

test('a crawler fetches every page of two sites; the wall of one holds back its own pages and not those of the other', async () => {
  using scratch = new Scratch()
  const pages = scratch.file('pages.db')
  const walled = await open({ pages: 14, atFirst: 'answers 503', wallAfter: 4, wallSeconds: 2 })
  const free = await open({ pages: 14, atFirst: 'hangs', wallAfter: Number.POSITIVE_INFINITY, wallSeconds: 0 })
  /** How many pages the walled site had served, at each page of the other one. */
  const meanwhile: number[] = []
  free.site.server.on('request', ({ url }) => url?.startsWith('/page') && meanwhile.push(walled.site.served.length))
  const crawler = startNode(['examples/crawler/main.ts'], {
    env: { CRAWL_SITES: `${walled.address} ${free.address}`, CRAWL_PAGES: pages, CRAWL_JOBS: scratch.database },
  })
  onTestFinished(() => void crawler.child.kill('SIGKILL'))
  await Promise.all([served(walled.site, 14), served(free.site, 14)])
  const left = plainConnection(pages).prepare<[], number>('SELECT count(*) FROM pages WHERE title IS NULL').pluck()
  while (left.get() !== 0) await once(crawler.child, 'output')
  crawler.child.kill('SIGTERM')
  const { code, output } = await crawler.end
  expect(code).toBe(0)
  // The tick that met a site which is down is tried again at the next one; so is the one that used up its budget on a site that hangs.
  expect(output).toContain(`again at the next tick: ${walled.address} answered 503`)
  expect(output).toMatch(/again at the next tick: .*its budget is used up/)
  for (const { site } of [walled, free]) expect(new Set(site.served).size).toBe(14)
  expect(meanwhile.filter((walledServed) => walledServed === 4).length).toBeGreaterThanOrEqual(3)
  // Who was told to wait waits. Without that each of the ten pages that are left would meet the first wall.
  expect(walled.site.refused.length).toBeGreaterThanOrEqual(3)
  expect(Math.max(...walled.site.refused)).toBeLessThanOrEqual(4)
}, 60_000)
