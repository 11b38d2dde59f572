import { lookup as systemLookup } from 'node:dns'
import { Agent, request } from 'node:https'
import type { LookupFunction } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { Credential } from './certificates.ts'

/** The result of an HTTP request; `kind` states why there is no answer. */
export type PostResult =
  | { readonly kind: 'answer'; readonly status: number; readonly text: string }
  | { readonly kind: 'no_connection' | 'timeout' }

export interface PostOptions {
  readonly url: string
  readonly json: string
  readonly timeoutMs: number
  /** Made by `clientAgent`. */
  readonly agent: Agent
}

const MAX_ANSWER_BYTES = 131_072

/**
 * Connections with a client's credential to servers whose certificates are of the CA.
 * @param idleMs how long a connection is kept for the next request; null opens one for each.
 */
export function clientAgent(client: Credential, ca: string, idleMs: number | null): Agent {
  return new Agent({
    ...(idleMs === null ? {} : { keepAlive: true, timeout: idleMs }),
    // Node would build each request's key of a connection from the texts of all certificates.
    secureContext: createSecureContext({
      ca,
      cert: client.cert,
      key: client.key,
      minVersion: 'TLSv1.2',
    }),
    lookup,
  })
}

/** One POST with a client certificate. Never rejects. */
export function postJson({ agent, json, timeoutMs, url }: PostOptions): Promise<PostResult> {
  return new Promise((resolve) => {
    const outgoing = request(
      url,
      {
        method: 'POST',
        agent,
        headers: {
          'Content-Type': 'application/json; charset=utf-8',
          'Content-Length': Buffer.byteLength(json),
        },
      },
      (incoming) => {
        const parts: Buffer[] = []
        let length = 0
        incoming.on('data', (part: Buffer) => {
          length += part.length
          if (length > MAX_ANSWER_BYTES) outgoing.destroy()
          else parts.push(part)
        })
        incoming.on('error', () => end({ kind: 'no_connection' }))
        incoming.on('end', () => {
          const text = Buffer.concat(parts).toString('utf8')
          settle({ kind: 'answer', status: incoming.statusCode ?? 0, text })
        })
      },
    )
    const timer = setTimeout(() => end({ kind: 'timeout' }), timeoutMs)
    function settle(result: PostResult): void {
      clearTimeout(timer)
      resolve(result)
    }
    function end(result: PostResult): void {
      outgoing.destroy()
      settle(result)
    }
    outgoing.on('error', () => end({ kind: 'no_connection' }))
    outgoing.on('close', () => end({ kind: 'no_connection' }))
    outgoing.end(json)
  })
}

/** Names that end in `.localhost` are this machine (RFC 6761), though few systems look it up so. */
const lookup: LookupFunction = (hostname, options, callback) => {
  if (!/(^|\.)localhost$/i.test(hostname)) {
    systemLookup(hostname, options, callback)
  } else if (options.all === true) callback(null, [{ address: '127.0.0.1', family: 4 }])
  else callback(null, '127.0.0.1', 4)
}
