/** Comlink ships its adapter for Node's ports without types. */
declare module 'comlink/dist/esm/node-adapter.mjs' {
  import type { MessagePort } from 'node:worker_threads'
  import type { Endpoint } from 'comlink'
  /** Makes a MessagePort of Node look like a browser's to comlink. */
  export default function nodeEndpoint(port: MessagePort): Endpoint
}
