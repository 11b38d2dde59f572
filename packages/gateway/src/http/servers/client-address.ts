import type { FastifyRequest } from 'fastify'
import { isIP } from 'node:net'

/**
 * The address of a request's client: the one that a trusted proxy names, if it is an address.
 * Anything else in X-Forwarded-For was written by a client. It may be new with each attempt, or a
 * card number; then the peer of the connection counts.
 */
export function clientAddress({ ip, socket }: FastifyRequest): string {
  return isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip
}
