import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Duplex } from 'node:stream'
import { invariant } from '../../base/invariant.ts'
import { REQUEST_ID_HEADER } from './request-ids.ts'

/** The body of an answer, and its Content-Type. */
export interface WrittenBody {
  readonly type: string
  readonly body: string
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Writes the body of HTTP 400 for each path that has one; see `createBrokenRequests`. */
    readonly brokenBodies: Map<string, () => WrittenBody>
  }
}

/** Answers connections that sent no HTTP. */
export interface BrokenRequests {
  /** Notes what each connection waits for. Addresses put their bodies into `app.brokenBodies`. */
  readonly watch: (app: FastifyInstance) => void
  /** For the server's event `clientError`. */
  readonly answer: (error: Error & { code?: string; rawPacket?: unknown }, socket: Duplex) => void
}

interface Connection {
  /** Requests whose head was read, and that are not answered. */
  readonly open: Set<FastifyRequest>
  isBroken: boolean
}

/** An undecodable address may hold card data, so nothing of it is repeated or logged. */
export function refuseAddress(_error: unknown, _request: unknown, reply: unknown): void {
  invariant(isReply(reply), 'The framework handed over no reply.')
  void reply.code(400).header('x-content-type-options', 'nosniff')
  void reply.header(REQUEST_ID_HEADER, reply.request.id)
  void reply.type('text/plain; charset=utf-8').send('The address cannot be read.')
}

function isReply(value: unknown): value is FastifyReply {
  return typeof value === 'object' && value !== null && 'send' in value
}

/** The connections of one server that the parser gives up, and what each of them is answered. */
export function createBrokenRequests(): BrokenRequests {
  const bodies = new Map<string, () => WrittenBody>()
  const connections = new WeakMap<Duplex, Connection>()
  const connectionOf = (socket: Duplex): Connection => {
    const known = connections.get(socket)
    if (known !== undefined) return known
    const connection = { open: new Set<FastifyRequest>(), isBroken: false }
    connections.set(socket, connection)
    return connection
  }

  return {
    watch(app) {
      app.decorate('brokenBodies', bodies)
      app.addHook('onRequest', (request, _reply, done) => {
        connectionOf(request.raw.socket).open.add(request)
        done()
      })
      app.addHook('onSend', (request, reply, payload, done) => {
        const { isBroken, open } = connectionOf(request.raw.socket)
        open.delete(request)
        if (isBroken && !hasWhole(open)) void reply.header('connection', 'close')
        done(null, payload)
      })
    },
    answer(error, socket) {
      if (error.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy()
        return
      }
      const connection = connectionOf(socket)
      if (hasWhole(connection.open)) {
        // The client would take an answer now for that to a payment, which may have been made.
        connection.isBroken = true
        return
      }
      // The packet may hold card data. Only the path of a known address is read from it.
      const [half] = connection.open
      const path = half === undefined ? pathOf(error.rawPacket) : half.routeOptions.url
      socket.end(answerTo(error.code, () => bodies.get(path ?? '')?.()))
    },
  }
}

/** Whether a request was read to its end. Its bytes may be parsed before its body is looked at. */
function hasWhole(open: ReadonlySet<FastifyRequest>): boolean {
  return [...open].some(({ raw }) => raw.complete)
}

function answerTo(code: string | undefined, body: () => WrittenBody | undefined): string {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return withoutBody('408 Request Timeout')
  if (code === 'HPE_HEADER_OVERFLOW') return withoutBody('431 Request Header Fields Too Large')
  const written = body()
  if (written === undefined) return withoutBody('400 Bad Request')
  const head = [
    'HTTP/1.1 400 Bad Request',
    `Content-Type: ${written.type}`,
    `Content-Length: ${Buffer.byteLength(written.body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${written.body}`
}

function withoutBody(status: string): string {
  return `HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`
}

/** In bytes. Above `POST` and every path of the gateway. */
const REQUEST_LINE_BYTES = 256

/** The path of a packet that begins with the first line of a POST; empty for any other. */
function pathOf(packet: unknown): string {
  if (!Buffer.isBuffer(packet)) return ''
  const start = packet.subarray(0, REQUEST_LINE_BYTES).toString('latin1')
  return /^POST (\/[^\s?]*)[ ?]/.exec(start)?.[1] ?? ''
}
