import {
  Agent,
  createServer,
  request,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/** The reports of a load balancer's thread to the thread that opened it. */
export type BalancerReport =
  | { readonly kind: 'open'; readonly baseUrl: string }
  | { readonly kind: 'retried' }
  | { readonly kind: 'fault'; readonly fault: string }

interface Backend {
  readonly url: string
  isReady: boolean
}

interface Reply {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
}

/** Below the second for which a node that stops reports that it is not ready. */
const CHECK_EVERY_MS = 400
const ASK_AGAIN_MS = 50

const backends: Backend[] = (workerData as readonly string[]).map((url) => ({ url, isReady: true }))
const agent = new Agent({ keepAlive: true })
let turn = 0

function report(message: BalancerReport): void {
  parentPort?.postMessage(message)
}

/** A node that is not ready, or refused a request, gets none until it reports that it is. */
async function watch(backend: Backend): Promise<void> {
  for (;;) {
    await pause(CHECK_EVERY_MS)
    const health = await fetch(new URL('/health/ready', backend.url)).catch(() => null)
    backend.isReady = health?.ok === true
    await health?.body?.cancel()
  }
}

/**
 * Tries another node only when one refuses the connection or answers 503, for then nothing
 * happened. A connection that breaks later is left to the client, which gets a 502.
 */
async function forward(incoming: IncomingMessage, body: Buffer): Promise<Reply> {
  const { url: path = '/' } = incoming
  for (;;) {
    turn += 1
    const inUse = backends.filter(({ isReady }) => isReady)
    const backend = inUse[turn % inUse.length]
    if (backend === undefined) {
      await pause(ASK_AGAIN_MS)
      continue
    }
    const reply = await send(new URL(path, backend.url), incoming, body)
    if (reply !== null) return reply
    backend.isReady = false
    report({ kind: 'retried' })
  }
}

/** Null when the node certainly took nothing. */
function send(
  url: URL,
  { headers, method = 'GET' }: IncomingMessage,
  body: Buffer,
): Promise<Reply | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply | null>()
  // The body is sent whole, on a connection of the balancer's own.
  const { connection: _own, 'transfer-encoding': _chunked, host: _host, ...passed } = headers
  const length = body.length > 0 ? { 'content-length': String(body.length) } : {}
  const asked = request(url, { method, agent, headers: { ...passed, ...length } })
  asked.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED') resolve(null)
    else reject(error)
  })
  asked.on('response', (response) => {
    const read = async () => {
      const status = response.statusCode ?? 0
      const { connection: _own, 'transfer-encoding': _chunked, ...headers } = response.headers
      const body = Buffer.concat(await response.toArray())
      resolve(status === 503 ? null : { status, headers, body })
    }
    read().catch(reject)
  })
  asked.end(body)
  return promise
}

async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = Buffer.concat(await incoming.toArray())
  try {
    const reply = await forward(incoming, body)
    outgoing.writeHead(reply.status, reply.headers).end(reply.body)
  } catch (error) {
    report({ kind: 'fault', fault: String(error) })
    outgoing.writeHead(502).end()
  }
}

const server = createServer((incoming, outgoing) => void serve(incoming, outgoing))
// A client that stalls would send a request on a connection that was just closed.
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  report({ kind: 'open', baseUrl: `http://127.0.0.1:${port}` })
})
for (const backend of backends) void watch(backend)
