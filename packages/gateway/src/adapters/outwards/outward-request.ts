import { lookup as lookUp, type LookupAddress } from 'node:dns'
import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as requestHttps, type RequestOptions } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { maskText } from '../../base/card-masking.ts'
import {
  addressFault,
  hostOf,
  urlFault,
  type OutwardRules,
} from '../../domain/webhooks/outward-rules.ts'
import type { OutwardAnswer, PostOutwards } from '../../usecases/webhooks/delivery-ports.ts'

export interface OutwardLimits {
  readonly connectMs: number
  readonly wholeMs: number
  readonly readBytes: number
  readonly keptBytes: number
}

export const OUTWARD_LIMITS: OutwardLimits = {
  connectMs: 5_000,
  wholeMs: 15_000,
  readBytes: 65_536,
  keptBytes: 4_096,
}

/** Gives all addresses of a name. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>

export interface OutwardDeps {
  readonly limits: OutwardLimits
  readonly resolve: ResolveName
  readonly monotonicMs: () => number
  /** Further options of a connection, such as certificates that tests trust. */
  readonly connection: Pick<RequestOptions, 'ca'>
}

export const resolveName: ResolveName = (name) =>
  new Promise((resolve, reject) => {
    lookUp(name, { all: true }, (error, found) => (error === null ? resolve(found) : reject(error)))
  })

/**
 * Posts to addresses that merchants chose. The rules judge the URL, and each address that its name
 * resolves to: the connection goes to one of the judged addresses. A request has a connection of
 * its own, follows no redirect, and uses no proxy.
 */
export function createPostOutwards(deps: OutwardDeps): PostOutwards {
  return async (url, headers, body, rules) => {
    const startedMs = deps.monotonicMs()
    const refusal = urlFault(url, rules)
    const answer =
      refusal === null
        ? await exchange(deps, new URL(url), headers, body, rules)
        : unanswered(refusal)
    return { ...answer, durationMs: Math.round(deps.monotonicMs() - startedMs) }
  }
}

type Exchanged = Omit<OutwardAnswer, 'durationMs'>

function exchange(
  { connection, limits, resolve }: OutwardDeps,
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  rules: OutwardRules,
): Promise<Exchanged> {
  const { promise, resolve: end } = Promise.withResolvers<Exchanged>()
  const options: RequestOptions = {
    method: 'POST',
    host: hostOf(url),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    headers: {
      ...headers,
      host: url.host,
      'content-length': String(body.byteLength),
      'accept-encoding': 'identity',
    },
    // Not shared: a connection that is used again would skip the rules.
    agent: false,
    lookup: judgedLookup(resolve, rules),
    ...connection,
  }
  const request: ClientRequest =
    url.protocol === 'https:' ? requestHttps(options) : requestHttp(options)
  const give = (answer: Exchanged): void => {
    clearTimeout(connecting)
    clearTimeout(whole)
    end(answer)
    request.destroy()
  }
  const connecting = setTimeout(
    () => give(unanswered(`No connection within ${limits.connectMs / 1_000} s.`)),
    limits.connectMs,
  )
  const whole = setTimeout(
    () => give(unanswered(`No whole answer within ${limits.wholeMs / 1_000} s.`)),
    limits.wholeMs,
  )
  const isSecure = url.protocol === 'https:'
  request.once('socket', (socket) => {
    socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(connecting))
  })
  request.once('response', (response) => {
    void readAnswer(response, limits).then(give, (error: unknown) =>
      give(unanswered(faultOf(error))),
    )
  })
  request.once('error', (error) => give(unanswered(faultOf(error))))
  request.end(body)
  return promise
}

async function readAnswer(response: IncomingMessage, limits: OutwardLimits): Promise<Exchanged> {
  const chunks: Buffer[] = []
  let read = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (read < limits.keptBytes) chunks.push(chunk)
    read += chunk.byteLength
    if (read >= limits.readBytes) break
  }
  const text = Buffer.concat(chunks).subarray(0, limits.keptBytes).toString('utf8')
  const { statusCode: status = 0, headers } = response
  return {
    status,
    retryAfter: headers['retry-after'],
    fault: status >= 200 && status < 300 ? '' : `The endpoint answered ${status}.`,
    text: maskText(text.replaceAll('\0', '\ufffd')),
  }
}

function unanswered(fault: string): Exchanged {
  return { status: null, retryAfter: undefined, fault, text: '' }
}

/** The error of a refused address; its message is a sentence. */
class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError'
}

/**
 * Resolves once, for the judgement and for the connection. One bad address is enough: a name with a
 * public and a private one would reach either. Literal addresses are judged with the URL, because
 * no lookup is made for them.
 */
function judgedLookup(resolve: ResolveName, rules: OutwardRules): LookupFunction {
  return (name, options, callback) => {
    resolve(name).then(
      (found) => {
        for (const { address } of found) {
          const fault = isIP(address) === 0 ? 'is no address' : addressFault(address, rules)
          if (fault === null) continue
          callback(new AddressRefusedError(`${name} resolves to ${address}, which ${fault}.`), [])
          return
        }
        const [first] = found
        if (first === undefined) callback(new AddressRefusedError(`${name} has no address.`), [])
        else if (options.all === true) callback(null, [...found])
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, []),
    )
  }
}

/** A sentence that names the failure, and nothing of the request. */
function faultOf(error: unknown): string {
  if (error instanceof AddressRefusedError) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  return `The exchange failed: ${code}.`
}
