import type { FastifyRequest } from 'fastify'
import type { Socket } from 'node:net'

/** The merchants that connections have proved to speak for, each by its last login. */
export interface KnownSenders {
  note(request: FastifyRequest, merchantId: bigint): void
  /** Null for a connection without a login, and for a proxy's: it speaks for many merchants. */
  of(request: FastifyRequest): bigint | null
}

/** Lets a flood be refused before its forms are read. */
export function createKnownSenders(): KnownSenders {
  const merchants = new WeakMap<Socket, bigint>()
  const isProxy = ({ ip, socket }: FastifyRequest): boolean => ip !== socket.remoteAddress
  return {
    note(request, merchantId) {
      if (merchants.get(request.socket) === merchantId || isProxy(request)) return
      merchants.set(request.socket, merchantId)
    },
    of: (request) => (isProxy(request) ? null : (merchants.get(request.socket) ?? null)),
  }
}
