import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { TcpLinkSession } from './link-session.ts'
import type { SessionOptions } from './link-session.ts'
import { listenTls, tlsFaultText } from './link-tls.ts'
import type { LinkServerTls } from './link-tls.ts'

export interface LinkServerOptions extends SessionOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Plain text unless given. */
  readonly tls?: LinkServerTls
  /** A peer could not agree on TLS with us; the text says why. It must not throw. */
  readonly onTlsRefused?: (reason: string) => void
  /** How long closing waits for messages that are being handled; 5000 ms by default. */
  readonly closeTimeoutMs?: number
}

/** The host's end of the links: takes connections, answers management messages by itself. */
export interface LinkServer {
  /** Rejects with the system's error when the port cannot be had. */
  listen(): Promise<{ port: number }>
  /** Accepts no new connection, finishes the messages under way, then closes each session. */
  close(): Promise<void>
}

const DEFAULT_CLOSE_TIMEOUT_MS = 5_000

/** Throws OpenSSL's error when a text of `tls` is no PEM, or its key not of its certificate. */
export function createLinkServer(options: LinkServerOptions): LinkServer {
  const sessions = new Set<TcpLinkSession>()
  let count = 0
  const take = (socket: Socket): void => {
    count += 1
    const session = new TcpLinkSession(count, socket, options)
    sessions.add(session)
    void session.closed.then(() => sessions.delete(session))
  }
  const server =
    options.tls === undefined
      ? createServer(take)
      : listenTls(options.tls, take, (error) => options.onTlsRefused?.(tlsFaultText(error)))
  return {
    listen: () => listen(server, options),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      const limitMs = options.closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS
      await Promise.all([...sessions].map((session) => closeSession(session, limitMs)))
      await closed
    },
  }
}

function listen(server: Server, { host, port }: LinkServerOptions): Promise<{ port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve({ port: (server.address() as AddressInfo).port })
    })
  })
}

async function closeSession(session: TcpLinkSession, limitMs: number): Promise<void> {
  // A handler that hangs, or a peer that does not read, must not keep the process alive.
  const timer = setTimeout(() => session.destroy(), limitMs)
  await Promise.race([session.whenIdle(), session.closed])
  session.end()
  await session.closed
  clearTimeout(timer)
}
