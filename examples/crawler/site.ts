/** A site to crawl: at first it is down, or hangs, and it answers 429 for a while once it was asked for some pages. */
import { createServer, type Server } from 'node:http'
import { pathToFileURL } from 'node:url'

/** How a site behaves. */
export interface SiteOptions {
  readonly pages: number
  /** What it does when it is first asked for its links. */
  readonly atFirst: 'answers 503' | 'hangs'
  /** After so many pages it puts up its wall; `Infinity` for never. */
  readonly wallAfter: number
  /** For how long, in seconds. */
  readonly wallSeconds: number
}

/** What a site has seen. */
export class Site {
  readonly server: Server
  /** The pages that it served, in order. */
  readonly served: string[] = []
  /** How often it was asked while its wall was up, each time that it was. */
  readonly refused: number[] = []
  #linksAsked = 0
  #wallUntil = 0

  constructor({ pages, atFirst, wallAfter, wallSeconds }: SiteOptions) {
    this.server = createServer(({ url = '/' }, answer) => {
      if (url === '/links') {
        if (this.#linksAsked++ === 0) return void (atFirst === 'hangs' || answer.writeHead(503).end())
        return void answer.end(JSON.stringify(Array.from({ length: pages }, (_, page) => `/page/${page}`)))
      }
      if (performance.now() < this.#wallUntil) {
        this.refused.push((this.refused.pop() ?? 0) + 1)
        return void answer.writeHead(429, { 'retry-after': String(wallSeconds) }).end()
      }
      this.served.push(url)
      if (this.served.length % wallAfter === 0) {
        this.#wallUntil = performance.now() + wallSeconds * 1_000
        this.refused.push(0)
      }
      answer.end(`<title>The page ${url}</title>`)
    })
  }

  /** Opens it, on any free port unless one is given, and resolves with its address. */
  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(port, resolve))
    const address = this.server.address()
    return `http://localhost:${typeof address === 'object' && address !== null ? address.port : port}`
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const site = new Site({ pages: 20, atFirst: 'answers 503', wallAfter: 5, wallSeconds: 2 })
  console.log(await site.listen(Number(process.argv[2] ?? 8080)))
}
