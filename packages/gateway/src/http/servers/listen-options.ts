import type { FastifyListenOptions } from 'fastify'

/** Connections that may wait to be taken in, as far as the system allows it. */
const BACKLOG = 4_096

/** The address of a server, with a log line that names its scheme. */
export function listenOptions(endpoint: {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
}): FastifyListenOptions {
  const { host, port, isTls } = endpoint
  return {
    host,
    port,
    backlog: BACKLOG,
    // The framework does not know that the server it was given speaks TLS.
    listenTextResolver: (address) =>
      `Server listening at ${isTls ? address.replace('http:', 'https:') : address}`,
  }
}
