import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Server, Socket } from 'node:net'
import { Server as TlsServer, type TLSSocket } from 'node:tls'
import type { ConnectionTable } from './connection-table.ts'
import type { HttpLimits } from './http-limits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** How far it came: 0 just arrived, 1 counted as open, 2 read as a whole. */
    progress: 0 | 1 | 2
  }
}

/**
 * Reports to the table which requests are under way. Refuses those with more header lines, or with
 * more unanswered requests before them, than any client of the interface sends.
 */
export function guardRequests(
  app: FastifyInstance,
  table: ConnectionTable,
  { headerLines, pipelinedRequests }: HttpLimits,
): void {
  const open = new WeakMap<Socket, number>()
  app.decorateRequest('progress', 0)
  app.addHook('onRequest', (request, reply, done) => {
    if (request.raw.rawHeaders.length > headerLines * 2) {
      return refuse(reply, 431, 'The request has too many header lines.')
    }
    const { socket } = request.raw
    const before = open.get(socket) ?? 0
    if (before >= pipelinedRequests) {
      // The connection ends with this answer, so none of the next could be answered.
      open.set(socket, Infinity)
      void reply.header('retry-after', '1')
      return refuse(reply, 503, 'Too many requests were sent without waiting for their answers.')
    }
    request.progress = 1
    open.set(socket, before + 1)
    done()
  })
  app.addHook('preHandler', (request, _reply, done) => {
    request.progress = 2
    table.begin(request.raw.socket)
    done()
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    const { socket } = request.raw
    if (request.progress === 2) table.answered(socket)
    if (request.progress > 0) open.set(socket, (open.get(socket) ?? 1) - 1)
    request.progress = 0
    done(null, payload)
  })
}

function refuse(reply: FastifyReply, status: number, sentence: string): void {
  void reply.code(status).header('connection', 'close').type('text/plain; charset=utf-8')
  void reply.send(sentence)
}

/** Adds every connection of a server to the table. */
export function watchConnections(server: Server, table: ConnectionTable): void {
  if (!(server instanceof TlsServer)) {
    server.on('connection', (socket: Socket) => table.admit(socket))
    return
  }
  // TLS has a socket of its own on top of the one that was admitted, with the same peer.
  const shaking = new Map<string, Socket>()
  server.on('connection', (socket: Socket) => {
    table.admit(socket)
    const peer = peerOf(socket)
    shaking.set(peer, socket)
    socket.once('close', () => {
      if (shaking.get(peer) === socket) shaking.delete(peer)
    })
  })
  server.on('secureConnection', (inner: TLSSocket) => {
    const peer = peerOf(inner)
    const socket = shaking.get(peer)
    shaking.delete(peer)
    if (socket !== undefined) table.wrap(socket, inner)
  })
  // No answer can be sent before there is TLS, and to try would keep the connection open for ever.
  server.on('tlsClientError', (_error: Error, inner: TLSSocket) => inner.destroy())
}

function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`
}
