import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { FeedEvent } from './events.ts'
import { eventually } from './eventually.ts'

/** A request as a merchant's program received it. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly event: FeedEvent
  /** Milliseconds since the receiver began to listen. */
  readonly atMs: number
}

/** Answers one request; `count` counts those of the same path from 1. */
export type Behaviour = (response: ServerResponse, received: Received, count: number) => void

export interface WebhookReceiver {
  /** The address of a path. */
  url(path: string): string
  /** Everything that came to a path, in the sequence of its arrival. */
  received(path: string): readonly Received[]
  /** Waits for that many requests of a path. */
  until(path: string, count: number): Promise<readonly Received[]>
  /** How a path answers from now on. */
  behave(path: string, behaviour: Behaviour): void
  stop(): Promise<void>
}

/** Answers 204. */
export const accept: Behaviour = (response) => void response.writeHead(204).end()

/** Answers with a status. */
export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end(`status ${status}`)

/** A merchant's program on loopback, which accepts everything unless it is asked to misbehave. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const all: Received[] = []
  const behaviours = new Map<string, Behaviour>()
  const startedMs = performance.now()
  const of = (path: string) => all.filter((one) => one.path === path)
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const path = request.url ?? ''
      const event = JSON.parse(body) as FeedEvent
      const atMs = performance.now() - startedMs
      const received = { path, headers: request.headers, body, event, atMs }
      all.push(received)
      const behave = behaviours.get(path) ?? accept
      behave(response, received, of(path).length)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    received: of,
    async until(path, count) {
      await eventually(`${path} received ${count} requests`, () => of(path).length >= count || null)
      return of(path)
    },
    behave: (path, behaviour) => void behaviours.set(path, behaviour),
    async stop() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
