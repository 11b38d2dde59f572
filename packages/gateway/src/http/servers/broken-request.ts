import type { FastifyReply } from 'fastify'
import type { Duplex } from 'node:stream'
import { invariant } from '../../base/invariant.ts'
import { REQUEST_ID_HEADER } from './request-ids.ts'

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

/**
 * A connection that sent no HTTP, or not all of it in time. The error that comes along holds the
 * bytes that were sent, card data among them, so it is dropped here and logged nowhere.
 */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? '408 Request Timeout'
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? '431 Request Header Fields Too Large'
        : '400 Bad Request'
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
}
