import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import {
  EMPTY_FORM,
  formAddress,
  type FormAddressDeps,
  type LoggedAnswer,
} from '../payment/form-address.ts'
import { readForm, type Form, type FormCharset } from '../payment/form.ts'
import { clientAddress } from '../servers/client-address.ts'
import {
  respondWithToken,
  type TokenRespondDeps,
  type TokenResponse,
} from './respond-with-token.ts'
import { refusedAnswer, writeToken } from './token-answer.ts'
import { lookUpTokenName, maskTokenParameters } from './token-parameters.ts'

export interface TokenServiceDeps extends TokenRespondDeps, FormAddressDeps {
  /** The machine's: a signature's time is no matter for a test clock. */
  readonly machineClock: Clock
}

/** The action of a token request in the request log and the metrics. */
export const TOKEN_ACTION = 'TOKEN_SERVICE'
export const TOKEN_PATH = '/payment/token_service.cfm'
const SIGNATURE_HEADERS = ['X-TIMESTAMP', 'X-SIGNATURE'] as const
/** How long browsers may remember what a preflight said. */
const PREFLIGHT_S = '600'

/** The address that puts cards under tokens. Shops' pages call it, so it speaks CORS. */
export function tokenService(app: FastifyInstance, deps: TokenServiceDeps): void {
  formAddress<TokenResponse, Form>(app, deps, {
    path: TOKEN_PATH,
    methods: ['POST', 'GET'],
    allow: 'POST, OPTIONS',
    preflight: answerPreflight,
    readForm: readRequest,
    unread: EMPTY_FORM,
    respond(form, request, requestId) {
      const method = request.method === 'GET' ? 'GET' : 'POST'
      const now = deps.machineClock.now()
      return respondWithToken(deps, form, method, requestId, clientAddress(request), now)
    },
    refuse: (name, _form, requestId) => ({
      answer: refusedAnswer(name, '', requestId),
      site: null,
      proved: false,
      key: null,
    }),
    write(response, { params }, request, requestId) {
      const { answer, key } = response
      const asked = params.get('REQUEST_RESPONSE_FORMAT')?.toUpperCase()
      const format = asked === 'XML' ? 'XML' : 'JSON'
      const written = writeToken(answer, format, requestId, key, deps.machineClock.now())
      return { ...written, headers: { ...allowOrigin(request, response), ...written.headers } }
    },
    log: loggedToken,
  })
}

function loggedToken({ answer, site, proved }: TokenResponse, form: Form): LoggedAnswer {
  const known = proved ? site : null
  // The query of a request that was not to have one is not even read for the log.
  const { params, unknown } = answer.httpStatus === 405 ? EMPTY_FORM : form
  return {
    merchantId: known?.merchantId ?? null,
    siteId: known?.id ?? null,
    username: '',
    action: TOKEN_ACTION,
    parameters: maskTokenParameters(params, unknown),
    apiCode: answer.code,
    serviceCode: 0,
    refField: answer.field,
    state: '',
    orderId: null,
    transactionId: null,
  }
}

/** A GET carries in its query what a POST has in its body and headers. */
function readRequest(request: FastifyRequest, body: Buffer, charset: FormCharset): Form {
  const isGet = request.method === 'GET'
  const { url = '' } = request.raw
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
  const form = readForm(isGet ? Buffer.from(query, 'latin1') : body, {
    charset,
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

function allowOrigin(
  { headers: { origin } }: Pick<FastifyRequest, 'headers'>,
  { site }: TokenResponse,
): Readonly<Record<string, string>> {
  if (site === null || origin === undefined) return {}
  const any = site.origins.includes('*')
  if (!any && !site.origins.includes(origin)) return { vary: 'origin' }
  return {
    vary: 'origin',
    'access-control-allow-origin': any ? '*' : origin,
    'access-control-expose-headers': 'x-timestamp, x-signature',
  }
}
