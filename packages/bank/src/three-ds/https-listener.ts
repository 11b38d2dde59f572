import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Credential } from './certificates.ts'

export interface HttpsRequest {
  readonly method: string
  readonly path: string
  readonly contentType: string
  readonly body: string
  /** Common name of the client's certificate; null if none was requested. */
  readonly client: string | null
}

/** An answer; or none at all, with the connection left open or reset. */
export type HttpsReply =
  | {
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  | 'silent'
  | 'reset'

export interface HttpsListenerOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** A free port may replace this one if it is in use. */
  readonly mayMove: boolean
  readonly credential: Credential
  /** The CA of the clients, which must present a certificate then; null admits browsers. */
  readonly clientCa: string | null
  readonly answer: (request: HttpsRequest) => Promise<HttpsReply> | HttpsReply
}

export interface HttpsListener {
  readonly port: number
  close(): Promise<void>
}

/**
 * Clients give up idle connections after seconds. A server that closes one first may lose a message
 * that is on its way.
 */
const IDLE_MS = 60_000

/** Longer than the longest AReq with its extensions. */
const MAX_BODY_BYTES = 131_072

/** Opens one HTTPS listener. Rejects with the system's error when the port is not available. */
export async function openHttpsListener(options: HttpsListenerOptions): Promise<HttpsListener> {
  const { clientCa, credential, host, mayMove } = options
  const sockets = new Map<string, Socket>()
  const server = createServer(
    {
      cert: credential.cert,
      key: credential.key,
      minVersion: 'TLSv1.2',
      ...(clientCa === null ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
      requestTimeout: 30_000,
      keepAliveTimeout: IDLE_MS,
    },
    (request, response) => void handle(options, sockets, request, response),
  )
  // Only the socket under TLS can be reset.
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket)
    sockets.set(name, socket)
    socket.once('close', () => sockets.delete(name))
  })
  const listen = async (port: number) => {
    server.listen({ host, port })
    await once(server, 'listening')
  }
  try {
    await listen(options.port)
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!isTaken || !mayMove) throw error
    await listen(0)
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function handle(
  options: HttpsListenerOptions,
  sockets: ReadonlyMap<string, Socket>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const body = await readBody(request)
    if (body === null) {
      response.setHeader('Connection', 'close')
      send(response, 413, {}, 'The body is too long.\n')
      return
    }
    const reply = await options.answer({
      method: request.method ?? '',
      path: (request.url ?? '').split('?')[0] ?? '',
      contentType: request.headers['content-type'] ?? '',
      body,
      client: commonName(request),
    })
    if (reply === 'silent') return
    if (reply === 'reset') (sockets.get(nameOf(request.socket)) ?? request.socket).resetAndDestroy()
    else send(response, reply.status, reply.headers, reply.body)
  } catch {
    if (response.headersSent) response.destroy()
    else send(response, 500, {}, 'The simulator cannot answer this.\n')
  }
}

function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...headers })
  response.end(body)
}

/** Null when it is longer than any valid body. */
function readBody(request: IncomingMessage): Promise<string | null> {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>()
  const parts: Buffer[] = []
  let length = 0
  request.on('data', (part: Buffer) => {
    length += part.length
    if (length > MAX_BODY_BYTES) {
      request.pause()
      resolve(null)
    } else parts.push(part)
  })
  request.on('end', () => resolve(Buffer.concat(parts).toString('utf8')))
  request.on('error', reject)
  return promise
}

/** Node reads the certificate at each call, and a kept connection always has the same one. */
const namesOfClients = new WeakMap<Socket, string | null>()

function commonName({ socket }: IncomingMessage): string | null {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return null
  const known = namesOfClients.get(socket)
  if (known !== undefined) return known
  const name = socket.getPeerCertificate().subject?.CN
  const found = typeof name === 'string' ? name : null
  namesOfClients.set(socket, found)
  return found
}

/** The other end of a connection, as its key here. */
function nameOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
