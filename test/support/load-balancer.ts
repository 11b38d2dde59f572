import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Shares requests among nodes as a usual load balancer does, over connections that it keeps. */
export interface LoadBalancer {
  readonly baseUrl: string
  /** Requests that were sent to another node because the first refused them. */
  readonly retried: number
  close(): Promise<void>
}

interface Backend {
  readonly url: string
  isOut: boolean
}

interface Reply {
  readonly status: number
  readonly type: string
  readonly body: Buffer
}

const ASK_AGAIN_MS = 50

/**
 * Tries another node only when one refuses the connection or says 503, for then nothing happened;
 * what breaks later is the client's trouble: it gets a 502. A node that refused gets nothing until
 * it says that it is ready.
 */
export async function openLoadBalancer(urls: readonly string[]): Promise<LoadBalancer> {
  const backends: Backend[] = urls.map((url) => ({ url, isOut: false }))
  const agent = new Agent({ keepAlive: true })
  let turn = 0
  let retried = 0
  let isClosed = false

  async function takeOut(backend: Backend): Promise<void> {
    if (backend.isOut) return
    backend.isOut = true
    while (!isClosed && backend.isOut) {
      await pause()
      const health = await fetch(new URL('/health/ready', backend.url)).catch(() => null)
      if (health?.ok === true) backend.isOut = false
      await health?.body?.cancel()
    }
  }

  async function forward(
    path: string,
    headers: IncomingMessage['headers'],
    body: Buffer,
  ): Promise<Reply> {
    for (;;) {
      turn += 1
      const inUse = backends.filter(({ isOut }) => !isOut)
      const backend = inUse[turn % inUse.length]
      if (backend === undefined) {
        await pause()
        continue
      }
      const reply = await send(agent, new URL(path, backend.url), headers, body)
      if (reply !== null) return reply
      retried += 1
      void takeOut(backend)
    }
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = Buffer.concat(await incoming.toArray())
    try {
      const reply = await forward(incoming.url ?? '/', incoming.headers, body)
      outgoing.writeHead(reply.status, { 'content-type': reply.type }).end(reply.body)
    } catch (error) {
      outgoing.writeHead(502).end(String(error))
    }
  }

  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get retried() {
      return retried
    },
    close: () =>
      new Promise((resolve) => {
        isClosed = true
        agent.destroy()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Null when the node certainly took nothing. */
function send(
  agent: Agent,
  url: URL,
  headers: IncomingMessage['headers'],
  body: Buffer,
): Promise<Reply | null> {
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

function pause(): Promise<void> {
  return new Promise((wake) => setTimeout(wake, ASK_AGAIN_MS))
}
