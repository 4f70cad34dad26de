/** Comlink ships its adapter for Node's ports without types. */
declare module 'comlink/dist/esm/node-adapter.mjs' {
  import type { Endpoint } from 'comlink'
  import type { MessagePort } from 'node:worker_threads'
  /** Makes a MessagePort of Node look like a browser's to comlink. */
  export default function nodeEndpoint(port: MessagePort): Endpoint
}
