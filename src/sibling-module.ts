/** Names the entry files of threads, which run from TypeScript sources in the repository and from JavaScript in the package. A leaf. */

/**
 * The URL of a module of this package, given without its extension, relative to the module that asks.
 *
 * @example
 * ```ts
 * siblingModule('../supervisor/main', import.meta.url) // file:///…/supervisor/main.js
 * ```
 */
export function siblingModule(path: string, askedFrom: string): URL {
  return new URL(`${path}${askedFrom.endsWith('.ts') ? '.ts' : '.js'}`, askedFrom)
}
