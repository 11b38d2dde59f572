import type { FastifyRequest } from 'fastify'
import { isIP } from 'node:net'

/**
 * Whom a request comes from: what a trusted proxy says, as long as it is an address. Anything else
 * in X-Forwarded-For was written by a client, and may be as new with each attempt as it may be a
 * card number; then it is the peer of the connection.
 */
export function clientAddress({ ip, socket }: FastifyRequest): string {
  return isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip
}
