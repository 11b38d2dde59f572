import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
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
  readonly type: string
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
async function forward(
  path: string,
  headers: IncomingMessage['headers'],
  body: Buffer,
): Promise<Reply> {
  for (;;) {
    turn += 1
    const inUse = backends.filter(({ isReady }) => isReady)
    const backend = inUse[turn % inUse.length]
    if (backend === undefined) {
      await pause(ASK_AGAIN_MS)
      continue
    }
    const reply = await send(new URL(path, backend.url), headers, body)
    if (reply !== null) return reply
    backend.isReady = false
    report({ kind: 'retried' })
  }
}

/** Null when the node certainly took nothing. */
function send(url: URL, headers: IncomingMessage['headers'], body: Buffer): Promise<Reply | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply | null>()
  const { 'content-type': type = '' } = headers
  const asked = request(url, {
    method: 'POST',
    agent,
    headers: { 'content-type': type, 'content-length': body.length },
  })
  asked.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED') resolve(null)
    else reject(error)
  })
  asked.on('response', (response) => {
    const read = async () => {
      const status = response.statusCode ?? 0
      const type = response.headers['content-type'] ?? ''
      const body = Buffer.concat(await response.toArray())
      resolve(status === 503 ? null : { status, type, body })
    }
    read().catch(reject)
  })
  asked.end(body)
  return promise
}

async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = Buffer.concat(await incoming.toArray())
  try {
    const reply = await forward(incoming.url ?? '/', incoming.headers, body)
    outgoing.writeHead(reply.status, { 'content-type': reply.type }).end(reply.body)
  } catch (error) {
    report({ kind: 'fault', fault: String(error) })
    outgoing.writeHead(502).end()
  }
}

const server = createServer((incoming, outgoing) => void serve(incoming, outgoing))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  report({ kind: 'open', baseUrl: `http://127.0.0.1:${port}` })
})
for (const backend of backends) void watch(backend)
