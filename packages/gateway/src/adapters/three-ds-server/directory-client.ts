import { lookup as systemLookup } from 'node:dns'
import { Agent, request } from 'node:https'
import type { LookupFunction } from 'node:net'
import { checkServerIdentity, createSecureContext, TLSSocket, type PeerCertificate } from 'node:tls'
import { SIMULATOR_SUBJECT, type ThreeDsDirectory } from '../../usecases/three-ds/directory.ts'

/** The answer over HTTPS; `kind` says why there is none. */
export type PostResult =
  | { readonly kind: 'answer'; readonly status: number; readonly body: Buffer }
  | { readonly kind: 'too_long' }
  /** No connection: nothing was sent. */
  | { readonly kind: 'not_connected'; readonly reason: string }
  /** The message may have arrived. */
  | { readonly kind: 'broken'; readonly reason: string }
  | { readonly kind: 'timed_out' }

export interface DirectoryClient {
  /** Posts one message. Never rejects; an answer after the time is not read any more. */
  post(
    json: string,
    limits: { readonly readMs: number; readonly maxBytes: number },
  ): Promise<PostResult>
  close(): void
}

const CONNECT_MS = 3_000
/** Idle connections are given up before a Directory Server would. */
const IDLE_MS = 4_000

/**
 * A Directory Server over TLS: our certificate, its authority, its host name, nothing older than
 * 1.2.
 */
export function createDirectoryClient(directory: ThreeDsDirectory): DirectoryClient {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 256,
    maxFreeSockets: 8,
    timeout: IDLE_MS,
    // Node would build each request's key of a connection from the texts of all certificates.
    secureContext: createSecureContext({
      ca: directory.ca,
      cert: directory.cert,
      key: directory.key.reveal(),
      minVersion: 'TLSv1.2',
    }),
    lookup: lookupHere,
    checkServerIdentity: (host, certificate) =>
      simulatorFault(directory, certificate) ?? checkServerIdentity(host, certificate),
  })
  return {
    async post(json, limits) {
      const first = await postOnce(agent, directory.url, json, limits)
      // Nothing was sent, so that once more is no repetition.
      return first.kind === 'not_connected'
        ? await postOnce(agent, directory.url, json, limits)
        : first
    },
    close: () => agent.destroy(),
  }
}

function postOnce(
  agent: Agent,
  url: string,
  json: string,
  { maxBytes, readMs }: { readonly readMs: number; readonly maxBytes: number },
): Promise<PostResult> {
  const { promise, resolve } = Promise.withResolvers<PostResult>()
  let connected = false
  let timer: NodeJS.Timeout
  const outgoing = request(url, {
    method: 'POST',
    agent,
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(json),
    },
  })
  const end = (result: PostResult, keep = false): void => {
    clearTimeout(timer)
    resolve(result)
    if (!keep) outgoing.destroy()
  }
  const fail = (reason: string): void =>
    end(connected ? { kind: 'broken', reason } : { kind: 'not_connected', reason })
  const onConnected = (): void => {
    connected = true
    clearTimeout(timer)
    timer = setTimeout(() => end({ kind: 'timed_out' }), readMs)
  }
  timer = setTimeout(() => fail('no connection in time'), CONNECT_MS)
  outgoing.on('socket', (socket) => {
    if (outgoing.reusedSocket || !(socket instanceof TLSSocket)) onConnected()
    else socket.once('secureConnect', onConnected)
  })
  outgoing.on('response', (incoming) => {
    const parts: Buffer[] = []
    let length = 0
    incoming.on('data', (part: Buffer) => {
      length += part.length
      if (length > maxBytes) end({ kind: 'too_long' })
      else parts.push(part)
    })
    incoming.on('error', (error) => fail(reasonOf(error)))
    incoming.on('end', () => {
      end({ kind: 'answer', status: incoming.statusCode ?? 0, body: Buffer.concat(parts) }, true)
    })
  })
  outgoing.on('error', (error) => fail(reasonOf(error)))
  outgoing.on('close', () => fail('the connection was closed'))
  outgoing.end(json)
  return promise
}

/** The system's name for what went wrong; its texts may hold addresses. */
function reasonOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** Only test accounts use the simulator as their Directory Server. */
function simulatorFault(
  { mode }: ThreeDsDirectory,
  { subject }: PeerCertificate,
): Error | undefined {
  const name = typeof subject?.CN === 'string' ? subject.CN : ''
  if (mode === 'test' || !SIMULATOR_SUBJECT.test(name)) return undefined
  return Object.assign(new Error('The simulator was met where live accounts are asked about.'), {
    code: 'SIMULATOR_REFUSED',
  })
}

/** Names that end in `.localhost` are this machine (RFC 6761), though few systems look it up so. */
export const lookupHere: LookupFunction = (hostname, options, callback) => {
  if (!/\.localhost$/i.test(hostname)) systemLookup(hostname, options, callback)
  else if (options.all === true) callback(null, [{ address: '127.0.0.1', family: 4 }])
  else callback(null, '127.0.0.1', 4)
}
