import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import type { RequestLogEntry } from '../../usecases/audit/request-log.ts'
import { charsetOf } from '../payment/charset.ts'
import { logFault } from '../payment/fault-log.ts'
import type { Form } from '../payment/form.ts'
import { readForm } from '../payment/form.ts'
import { clientAddress } from '../servers/client-address.ts'
import {
  respondWithToken,
  type TokenRespondDeps,
  type TokenResponse,
} from './respond-with-token.ts'
import { refusedAnswer, writeToken, type TokenAnswer, type TokenFormat } from './token-answer.ts'
import { lookUpTokenName, maskTokenParameters } from './token-parameters.ts'
import type { TokenRefusalName } from './token-refusals.ts'

export interface TokenServiceDeps extends TokenRespondDeps {
  readonly nextRequestId: () => bigint | Promise<bigint>
  readonly logRequest: (entry: RequestLogEntry) => void
  readonly clock: Clock
  /** The machine's: a signature's time is no matter for a test clock. */
  readonly machineClock: Clock
  readonly isReady: () => boolean
  readonly isUnavailable: (error: unknown) => boolean
}

/** What the request log and the metrics call a token request. */
export const TOKEN_ACTION = 'TOKEN_SERVICE'
export const TOKEN_PATH = '/payment/token_service.cfm'
const BODY_LIMIT_BYTES = 64 * 1024
const RETRY_AFTER_S = '1'
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const SIGNATURE_HEADERS = ['X-TIMESTAMP', 'X-SIGNATURE'] as const
const EMPTY_FORM: Form = { params: new Map(), unknown: [], problem: null }
/** How long browsers may remember what a preflight said. */
const PREFLIGHT_S = '600'

/** The address that puts cards under tokens. Shops' pages call it, so it speaks CORS. */
export function tokenService(app: FastifyInstance, deps: TokenServiceDeps): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES },
    (_request, body, done) => done(null, body),
  )

  app.addHook('onRequest', (request, reply, done) => {
    // Refused before the body is read. The order: nobody is served while not ready.
    if (!deps.isReady()) return unavailable(reply)
    if (request.method === 'OPTIONS') return answerPreflight(reply)
    if (request.method !== 'POST' && request.method !== 'GET') {
      return refuseUnread(request, reply, 'method_not_allowed')
    }
    if (charsetOf(request) === null) return refuseUnread(request, reply, 'type_unsupported')
    done()
  })

  app.setErrorHandler<{ readonly code?: string; readonly statusCode?: number } & Error>(
    (error, request, reply) => {
      if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
        return refuseUnread(request, reply, 'body_too_large')
      }
      if (error.statusCode === 415) return refuseUnread(request, reply, 'type_unsupported')
      if (error.statusCode !== undefined && error.statusCode < 500) {
        return refuseUnread(request, reply, 'request_malformed')
      }
      logFault(request, error, null)
      return refuseUnread(request, reply, 'system_error')
    },
  )

  app.route({
    method: METHODS,
    url: TOKEN_PATH,
    handler: (request, reply) => serve(readRequest(request), request, reply),
  })

  async function serve(form: Form, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const receivedAt = deps.clock.now()
    const asked = form.params.get('REQUEST_RESPONSE_FORMAT')?.toUpperCase()
    const format: TokenFormat = asked === 'XML' ? 'XML' : 'JSON'
    let requestId: bigint | null = null
    let response: TokenResponse
    try {
      requestId = await deps.nextRequestId()
      const now = deps.machineClock.now()
      const method = request.method === 'GET' ? 'GET' : 'POST'
      response = await respondWithToken(deps, form, method, requestId, clientAddress(request), now)
    } catch (error) {
      if (deps.isUnavailable(error)) return unavailable(reply, format)
      logFault(request, error, requestId)
      response = strangersResponse(refusedAnswer('system_error', '', requestId))
    }
    allowOrigin(request, reply, response)
    send(reply, response, format, requestId)
    // The query of a request that was not to have one is not even read for the log.
    keep(
      response.answer.httpStatus === 405 ? EMPTY_FORM : form,
      request,
      receivedAt,
      requestId,
      response,
    )
  }

  /** Answers a request whose body was not read, or can't be. */
  function refuseUnread(
    request: FastifyRequest,
    reply: FastifyReply,
    name: TokenRefusalName,
  ): void {
    const receivedAt = deps.clock.now()
    const finish = (requestId: bigint): void => {
      const response = strangersResponse(refusedAnswer(name, '', requestId))
      send(reply, response, 'JSON', requestId)
      keep(EMPTY_FORM, request, receivedAt, requestId, response)
    }
    Promise.resolve()
      .then(() => deps.nextRequestId())
      .then(finish)
      .catch((error: unknown) => {
        if (!deps.isUnavailable(error)) logFault(request, error, null)
        if (!reply.sent) unavailable(reply)
      })
  }

  function unavailable(reply: FastifyReply, format: TokenFormat = 'JSON'): void {
    send(reply, strangersResponse(refusedAnswer('unavailable', '', null)), format, null)
  }

  function send(
    reply: FastifyReply,
    { answer, key }: TokenResponse,
    format: TokenFormat,
    requestId: bigint | null,
  ): void {
    const { type, body, headers } = writeToken(
      answer,
      format,
      requestId,
      key,
      deps.machineClock.now(),
    )
    const { httpStatus } = answer
    if (httpStatus === 503 || httpStatus === 429) void reply.header('retry-after', RETRY_AFTER_S)
    if (httpStatus === 405) void reply.header('allow', 'POST, OPTIONS')
    void reply
      .code(httpStatus)
      .header('content-type', type)
      .header('cache-control', 'no-store')
      .headers(headers)
      .send(body)
  }

  /** A request log that fails must not take the answer with it. */
  function keep(
    form: Form,
    request: FastifyRequest,
    receivedAt: Date,
    requestId: bigint | null,
    { answer, site, proved }: TokenResponse,
  ): void {
    if (requestId === null) return
    const known = proved ? site : null
    try {
      deps.logRequest({
        requestId,
        receivedAt,
        merchantId: known?.merchantId ?? null,
        siteId: known?.id ?? null,
        username: '',
        address: clientAddress(request),
        action: TOKEN_ACTION,
        parameters: maskTokenParameters(form.params, form.unknown),
        httpStatus: answer.httpStatus,
        apiCode: answer.code,
        serviceCode: 0,
        refField: answer.field,
        state: '',
        orderId: null,
        transactionId: null,
        tookMs: deps.clock.now().getTime() - receivedAt.getTime(),
      })
    } catch (error) {
      logFault(request, error, requestId)
    }
  }
}

function strangersResponse(answer: TokenAnswer): TokenResponse {
  return { answer, site: null, proved: false, key: null }
}

/** A GET carries in its query what a POST has in its body and headers. */
function readRequest(request: FastifyRequest): Form {
  const isGet = request.method === 'GET'
  const { url = '' } = request.raw
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const form = readForm(isGet ? Buffer.from(query, 'latin1') : body, {
    charset: charsetOf(request) ?? 'utf-8',
    lookUp: lookUpTokenName,
    mayBeEmpty: new Set(),
  })
  const params = new Map(form.params)
  for (const name of SIGNATURE_HEADERS) {
    const sent = request.headers[name.toLowerCase()]
    if (typeof sent === 'string' && sent !== '') params.set(name, sent)
    else if (!isGet) params.delete(name)
  }
  return { ...form, params }
}

/**
 * Any page may ask, without cookies: the signature protects the service. Which pages may read the
 * answer is said by the answer itself, once the site is known.
 */
function answerPreflight(reply: FastifyReply): void {
  void reply
    .code(204)
    .header('access-control-allow-origin', '*')
    .header('access-control-allow-methods', 'POST, GET')
    .header('access-control-allow-headers', 'content-type, x-timestamp, x-signature')
    .header('access-control-max-age', PREFLIGHT_S)
    .send()
}

function allowOrigin(request: FastifyRequest, reply: FastifyReply, { site }: TokenResponse): void {
  const { origin } = request.headers
  if (site === null || origin === undefined) return
  const any = site.origins.includes('*')
  void reply.header('vary', 'origin')
  if (!any && !site.origins.includes(origin)) return
  void reply
    .header('access-control-allow-origin', any ? '*' : origin)
    .header('access-control-expose-headers', 'x-timestamp, x-signature')
}
