import { isIP } from 'node:net'
import { connect, createSecureContext, createServer } from 'node:tls'
import type { SecureContext, Server, TLSSocket } from 'node:tls'

/** A link client's trust and identity, all as PEM text. */
export interface LinkTls {
  /** The only accepted signer of the host's certificate. */
  readonly ca: string
  /** The client certificate with its chain, and its key; null where the host wants none. */
  readonly client: { readonly cert: string; readonly key: string } | null
}

/** A link server's identity and trust, all as PEM text. */
export interface LinkServerTls {
  readonly cert: string
  readonly key: string
  /** The required signer of a client's certificate; null asks for none. */
  readonly clientCa: string | null
}

const OLDEST_VERSION = 'TLSv1.2'
/** How long a peer may take for its handshake before the server closes. */
const HANDSHAKE_TIMEOUT_MS = 5_000

/** Reads the PEM texts once for all connections. Throws OpenSSL's error on an invalid text. */
export function clientContext({ ca, client }: LinkTls): SecureContext {
  return createSecureContext({
    ca,
    ...(client === null ? {} : client),
    minVersion: OLDEST_VERSION,
  })
}

/** Connects and verifies the host's certificate, by its signer and its name. */
export function connectTls(
  { host, port }: { readonly host: string; readonly port: number },
  secureContext: SecureContext,
): TLSSocket {
  const named = isIP(host) === 0 ? { servername: host } : {}
  const socket = connect({ host, port, secureContext, rejectUnauthorized: true, ...named })
  socket.setNoDelay(true)
  return socket
}

/** A server that speaks TLS only. `onRefused` gets the peers whose handshake failed. */
export function listenTls(
  { cert, key, clientCa }: LinkServerTls,
  onSession: (socket: TLSSocket) => void,
  onRefused: (error: Error) => void,
): Server {
  const asksClients =
    clientCa === null ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }
  const server = createServer(
    {
      cert,
      key,
      minVersion: OLDEST_VERSION,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      ...asksClients,
    },
    onSession,
  )
  server.on('tlsClientError', onRefused)
  return server
}

/** OpenSSL's own words for a fault, without its numbers; other errors by their text. */
export function tlsFaultText(error: Error): string {
  const { reason } = error as Error & { readonly reason?: unknown }
  return typeof reason === 'string' ? reason : error.message
}
