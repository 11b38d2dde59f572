import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import type { Clock } from '../../base/clock.ts'
import type { RequestLogEntry } from '../../usecases/audit/request-log.ts'
import type { Authenticate } from '../../usecases/logins/authenticate.ts'
import type { AccessRefusal, ApiUser } from '../../usecases/merchants/merchant-directory.ts'
import { logFault } from '../payment/fault-log.ts'
import { clientAddress } from '../servers/client-address.ts'
import { keepRequest, queryOf } from './api-log.ts'
import { readBasicLogin } from './basic-login.ts'
import { problemBody, PROBLEMS, type ProblemExtensions, type ProblemName } from './problems.ts'

export interface ApiGateDeps {
  readonly authenticate: Authenticate
  /** False when the user has sent more than its share. */
  readonly allowRequest: (user: ApiUser) => boolean | Promise<boolean>
  readonly nextRequestId: () => bigint | Promise<bigint>
  readonly logRequest: (entry: RequestLogEntry) => void
  readonly clock: Clock
  readonly isReady: () => boolean
  readonly isUnavailable: (error: unknown) => boolean
}

/** The address of everything that API users read. */
export const API_PATH = '/api/v1'

/** An answer to a program: JSON, a file, or a problem document. */
export interface ApiAnswer {
  readonly status: number
  readonly body: string | Readable
  readonly headers: Readonly<Record<string, string>>
  /** Null for an answer that is none. */
  readonly problem: ProblemName | null
  readonly parameter: string
}

export type Refuse = (name: ProblemName, extensions?: ProblemExtensions) => ApiAnswer

/** A request of an API user that may read the interface. */
export interface ApiCall {
  readonly user: ApiUser
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** The search part of the address, without its question mark. */
  readonly query: string
  readonly refuse: Refuse
}

interface LoggedAnswer extends ApiAnswer {
  readonly user: Pick<ApiUser, 'username'> | null
  readonly merchantId: bigint | null
}

const NOT_LET_IN: Readonly<Record<AccessRefusal, ProblemName>> = {
  throttled: 'login-locked',
  credentials_wrong: 'unauthenticated',
  user_inactive: 'user-inactive',
  site_unknown: 'unauthenticated',
}

const JSON_TYPE = { 'content-type': 'application/json' }

export function jsonAnswer(
  body: string,
  headers: Readonly<Record<string, string>> = {},
): ApiAnswer {
  return {
    status: 200,
    body,
    headers: { ...JSON_TYPE, ...headers },
    problem: null,
    parameter: '',
  }
}

export function fileAnswer(body: Readable, type: string): ApiAnswer {
  return { status: 200, body, headers: { 'content-type': type }, problem: null, parameter: '' }
}

export type ApiMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** The answers of an address, by method. */
export type ApiAnswers = Partial<Readonly<Record<ApiMethod, (call: ApiCall) => Promise<ApiAnswer>>>>

export interface ApiGate {
  /**
   * A route that only API users with the right reach; each request is in the request log under
   * `action`.
   */
  get(url: string, action: string, answer: (call: ApiCall) => Promise<ApiAnswer>): void
  /** The same for an address with several methods; the log has `GET_THINGS`, `POST_THINGS`. */
  serve(url: string, things: string, answers: ApiAnswers): void
}

/** Lets API users in, logs their requests, and answers refusals as problem documents. */
export function openApiGate(app: FastifyInstance, deps: ApiGateDeps): ApiGate {
  app.setErrorHandler<Error & { readonly statusCode?: number }>((error, request, reply) => {
    if (error.statusCode !== undefined && error.statusCode < 500) {
      return send(reply, refusal('parameter-invalid', null, { detail: 'It cannot be read.' }))
    }
    logFault(request, error, null)
    return send(reply, refusal('internal-error', null, {}))
  })

  async function letIn(
    request: FastifyRequest,
    reply: FastifyReply,
    requestId: bigint,
    answer: (call: ApiCall) => Promise<ApiAnswer>,
  ): Promise<LoggedAnswer> {
    const nobody = { user: null, merchantId: null }
    const login = readBasicLogin(request.headers.authorization)
    if (login === null) return { ...refusal('unauthenticated', requestId, {}), ...nobody }
    const { password, username } = login
    const access = await deps.authenticate(username, password, '0', clientAddress(request))
    if (access.kind === 'refused') {
      const { merchantId = null, refusal: why } = access
      return { ...refusal(NOT_LET_IN[why], requestId, {}), user: null, merchantId }
    }
    const { user } = access
    const known = { user, merchantId: user.merchantId }
    const refuse: Refuse = (name, extensions = {}) => refusal(name, requestId, extensions)
    if (!(await deps.allowRequest(user))) return { ...refuse('rate-limited'), ...known }
    if (!user.readsApi) return { ...refuse('right-missing'), ...known }
    const query = queryOf(request)
    return { ...(await answer({ user, request, reply, query, refuse })), ...known }
  }

  function route(
    method: ApiMethod,
    url: string,
    action: string,
    answer: (call: ApiCall) => Promise<ApiAnswer>,
  ): void {
    app.route({
      method,
      url,
      async handler(request, reply) {
        if (!deps.isReady()) return send(reply, refusal('unavailable', null, {}))
        const receivedAt = deps.clock.now()
        let requestId: bigint | null = null
        let given: LoggedAnswer
        try {
          requestId = await deps.nextRequestId()
          given = await letIn(request, reply, requestId, answer)
        } catch (error) {
          if (!deps.isUnavailable(error)) logFault(request, error, requestId)
          const name = deps.isUnavailable(error) ? 'unavailable' : 'internal-error'
          given = { ...refusal(name, requestId, {}), user: null, merchantId: null }
        }
        send(reply, given)
        if (requestId !== null) keepRequest(deps, request, { requestId, receivedAt, action }, given)
        return reply
      },
    })
  }

  function refuseOtherMethods(url: string, methods: readonly string[]): void {
    app.route({
      method: ALL_METHODS.filter((method) => method !== 'HEAD' && !methods.includes(method)),
      url,
      handler: (_, reply) => {
        void reply.header('allow', methods.join(', '))
        return send(reply, refusal('method-not-allowed', null, {}))
      },
    })
  }

  return {
    get(url, action, answer) {
      route('GET', url, action, answer)
      refuseOtherMethods(url, ['GET'])
    },
    serve(url, things, answers) {
      const methods = METHODS.filter((method) => answers[method] !== undefined)
      for (const method of methods) {
        const answer = answers[method]
        if (answer !== undefined) route(method, url, `${method}_${things}`, answer)
      }
      refuseOtherMethods(url, methods)
    },
  }
}

const METHODS: readonly ApiMethod[] = ['GET', 'POST', 'PATCH', 'DELETE']

const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Answers every other address of the interface. */
export function refuseOtherAddresses(app: FastifyInstance): void {
  for (const url of [API_PATH, `${API_PATH}/*`]) {
    app.route({
      method: ALL_METHODS,
      url,
      handler: (_, reply) => send(reply, refusal('not-found', null, {})),
    })
  }
}

function refusal(
  problem: ProblemName,
  requestId: bigint | null,
  extensions: ProblemExtensions,
): ApiAnswer {
  const { status } = PROBLEMS[problem]
  return {
    status,
    body: problemBody(problem, requestId, extensions),
    headers: {
      'content-type': 'application/problem+json',
      ...(status === 401 ? { 'www-authenticate': 'Basic realm="Tollgate", charset="UTF-8"' } : {}),
      ...(status === 429 || status === 503 ? { 'retry-after': '1' } : {}),
    },
    problem,
    parameter: extensions.parameter ?? '',
  }
}

/** An async handler returns the reply, or a body that is still sent would be cut. */
function send(reply: FastifyReply, { body, headers, status }: ApiAnswer): FastifyReply {
  return reply.code(status).header('cache-control', 'no-store').headers(headers).send(body)
}
