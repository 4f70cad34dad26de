/** Where code was when its thread was stopped. A leaf of plain data and its words. */

/** One frame of a JavaScript stack. Lines and columns count from 1. */
export interface StackFrame {
  /** Empty for code outside a function, or in one without a name. */
  readonly functionName: string
  /** The URL or path of the script; empty where there is none. */
  readonly url: string
  readonly line: number
  readonly column: number
}

/**
 * The innermost place, for a message.
 *
 * @example
 * ```ts
 * placeOf([{ functionName: 'decode', url: 'file:///app/decoder.ts', line: 212, column: 3 }]) // 'decode (decoder.ts:212)'
 * ```
 */
export function placeOf(frames: readonly StackFrame[]): string | null {
  const frame = frames.find(({ url }) => url !== '' && !url.startsWith('node:'))
  if (frame === undefined) return null
  const file = frame.url.slice(frame.url.lastIndexOf('/') + 1)
  return `${frame.functionName === '' ? 'anonymous code' : frame.functionName} (${file}:${frame.line})`
}

/** The frames in the form of V8's `stack`, below its first line. */
export function stackText(frames: readonly StackFrame[]): string {
  return frames
    .map(
      ({ functionName, url, line, column }) =>
        `    at ${functionName === '' ? '<anonymous>' : functionName} (${url}:${line}:${column})`,
    )
    .join('\n')
}
