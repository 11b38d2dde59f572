import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import {
  createSecureContext,
  TLSSocket,
  type DetailedPeerCertificate,
  type SecureContextOptions,
} from 'node:tls'
import type { ThreeDsDirectory } from '../../usecases/three-ds/directory.ts'

/** The callers accepted under one host name, and the certificate for them. */
export interface ListenerIdentity {
  /** Lower case; null: for every other name. */
  readonly host: string | null
  readonly cert: string
  readonly key: string
  readonly directories: readonly ThreeDsDirectory[]
}

export interface ResultsListener {
  readonly port: number
  /** Serves other certificates from now on. */
  use(identities: readonly ListenerIdentity[]): void
  close(): Promise<void>
}

export interface ResultsListenerOptions {
  readonly host: string
  readonly port: number
  /** Another port will do where this one is taken. */
  readonly mayMove: boolean
  readonly identities: readonly ListenerIdentity[]
  /** Answers the body of an RReq with the text of a message. */
  readonly answer: (
    body: Buffer,
    directory: ThreeDsDirectory,
    contentType: string,
  ) => Promise<string>
}

export const RESULTS_PATH = '/3ds/results'
const MAX_BODY_BYTES = 65_536
const READ_MS = 5_000
/** Connections that never say anything useful must not fill the process. */
const MOST_CONNECTIONS = 512

/**
 * Opens the address that takes results: TLS 1.2 or newer, with a certificate of a Directory
 * Server's authority and one of its names. Rejects with a sentence when the port cannot be had.
 */
export async function openResultsListener(
  options: ResultsListenerOptions,
): Promise<ResultsListener> {
  let identities = options.identities
  const server = createServer(
    {
      ...contextOf(identityFor(identities, '')),
      minVersion: 'TLSv1.2',
      requestCert: true,
      rejectUnauthorized: true,
      handshakeTimeout: READ_MS,
      requestTimeout: READ_MS,
      headersTimeout: READ_MS,
      SNICallback: (name, done) => {
        const context = contextOf(identityFor(identities, name.toLowerCase()))
        done(null, createSecureContext({ ...context, minVersion: 'TLSv1.2' }))
      },
    },
    (request, response) => void handle(request, response, options, () => identities),
  )
  server.maxConnections = MOST_CONNECTIONS
  // Failed handshakes come from unauthenticated callers.
  server.on('tlsClientError', () => undefined)
  await listen(server, options)
  server.on('error', () => undefined)
  return {
    port: (server.address() as AddressInfo).port,
    use(changed) {
      identities = changed
      server.setSecureContext({ ...contextOf(identityFor(identities, '')), minVersion: 'TLSv1.2' })
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), READ_MS)
      await closed
      clearTimeout(timer)
    },
  }
}

async function listen(
  server: Server,
  { host, mayMove, port }: ResultsListenerOptions,
): Promise<void> {
  const tryPort = async (wanted: number): Promise<void> => {
    server.listen({ host, port: wanted })
    await once(server, 'listening')
  }
  try {
    await tryPort(port)
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (isTaken && mayMove) return await tryPort(0)
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(
      `Results of 3-D Secure challenges cannot be taken on ${host} port ${port}: ${why}. ` +
        'Choose another THREE_DS_RESULTS_PORT.',
      { cause: error },
    )
  }
}

function identityFor(identities: readonly ListenerIdentity[], name: string): ListenerIdentity {
  const found =
    identities.find(({ host }) => host === name) ??
    identities.find(({ host }) => host === null) ??
    identities[0]
  if (found === undefined) throw new Error('The address for results has no certificate.')
  return found
}

function contextOf({ cert, directories, key }: ListenerIdentity): SecureContextOptions {
  return { cert, key, ca: directories.map(({ ca }) => ca) }
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  options: ResultsListenerOptions,
  identities: () => readonly ListenerIdentity[],
): Promise<void> {
  try {
    const directory = senderOf(
      request,
      identities().flatMap(({ directories }) => directories),
    )
    if (directory === null) return refuse(response, 403)
    if ((request.url ?? '').split('?')[0] !== RESULTS_PATH) return refuse(response, 404)
    if (request.method !== 'POST') return refuse(response, 405)
    const body = await readBody(request)
    if (body === null) return refuse(response, 413)
    const text = await options.answer(body, directory, request.headers['content-type'] ?? '')
    response.writeHead(200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
    })
    response.end(text)
  } catch {
    if (response.headersSent) response.destroy()
    else refuse(response, 500)
  }
}

function refuse(response: ServerResponse, status: number): void {
  const headers = status === 405 ? { Allow: 'POST' } : {}
  response.writeHead(status, { ...headers, Connection: 'close', 'Content-Length': 0 })
  response.end()
}

/** Null when it is longer than any result. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += part.length
    if (length > MAX_BODY_BYTES) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/**
 * The Directory Server whose authority signed the sender's certificate, if it has one of its names.
 */
function senderOf(
  { socket }: IncomingMessage,
  directories: readonly ThreeDsDirectory[],
): ThreeDsDirectory | null {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return null
  const peer = socket.getPeerCertificate(true)
  const name = peer.subject?.CN
  if (typeof name !== 'string') return null
  const chain = chainOf(peer)
  return (
    directories.find(
      ({ ca, resultSubjects }) =>
        resultSubjects.includes(name) &&
        authoritiesIn(ca).some((authority) => isSignedBy(chain, authority)),
    ) ?? null
  )
}

function chainOf(peer: DetailedPeerCertificate): X509Certificate[] {
  const chain: X509Certificate[] = []
  for (
    let at: DetailedPeerCertificate | undefined = peer;
    at?.raw !== undefined;
    at = at.issuerCertificate
  ) {
    const certificate = new X509Certificate(at.raw)
    if (chain.some(({ fingerprint256 }) => fingerprint256 === certificate.fingerprint256)) break
    chain.push(certificate)
  }
  return chain
}

function isSignedBy(chain: readonly X509Certificate[], authority: X509Certificate): boolean {
  return chain.some(
    (certificate) =>
      certificate.fingerprint256 === authority.fingerprint256 ||
      (certificate.checkIssued(authority) && certificate.verify(authority.publicKey)),
  )
}

function authoritiesIn(pem: string): X509Certificate[] {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return texts.map((text) => new X509Certificate(text))
}
