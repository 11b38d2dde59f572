import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { maskText } from '../../base/card-masking.ts'
import type { Clock } from '../../base/clock.ts'
import type { RequestLogEntry } from '../../usecases/audit/request-log.ts'
import type { FeedAnswer, ReadFeed } from '../../usecases/events/read-feed.ts'
import type { Authenticate } from '../../usecases/logins/authenticate.ts'
import type { AccessRefusal, ApiUser } from '../../usecases/merchants/merchant-directory.ts'
import { logFault } from '../payment/fault-log.ts'
import { clientAddress } from '../servers/client-address.ts'
import { readBasicLogin } from './basic-login.ts'
import { readFeedParameters } from './feed-parameters.ts'
import { createOpenPolls } from './open-polls.ts'
import { problemBody, PROBLEMS, type ProblemExtensions, type ProblemName } from './problems.ts'

export interface EventServiceDeps {
  readonly authenticate: Authenticate
  /** False when the user has sent more than its share. */
  readonly allowRequest: (userId: bigint) => boolean | Promise<boolean>
  readonly readFeed: ReadFeed
  readonly nextRequestId: () => bigint | Promise<bigint>
  readonly logRequest: (entry: RequestLogEntry) => void
  readonly clock: Clock
  readonly isReady: () => boolean
  readonly isUnavailable: (error: unknown) => boolean
}

const API_PATH = '/api/v1'
export const EVENTS_PATH = `${API_PATH}/events`
/** The name of such a request in the request log. */
export const EVENTS_ACTION = 'GET_EVENTS'

interface Answer {
  readonly status: number
  readonly body: string
  /** Null for an answer that is none. */
  readonly problem: ProblemName | null
  readonly parameter: string
  readonly user: Pick<ApiUser, 'username'> | null
  readonly merchantId: bigint | null
}

const NOT_LET_IN: Readonly<Record<AccessRefusal, ProblemName>> = {
  throttled: 'login-locked',
  credentials_wrong: 'unauthenticated',
  user_inactive: 'user-inactive',
  site_unknown: 'unauthenticated',
}

const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The feed of events, for merchants' programs: JSON, and RFC 9457 problems. */
export function eventService(app: FastifyInstance, deps: EventServiceDeps): void {
  const polls = createOpenPolls()

  app.setErrorHandler<Error & { readonly statusCode?: number }>((error, request, reply) => {
    if (error.statusCode !== undefined && error.statusCode < 500) {
      return send(reply, refused('parameter-invalid', null, { detail: 'It cannot be read.' }))
    }
    logFault(request, error, null)
    send(reply, refused('internal-error', null, {}))
  })
  app.route({ method: 'GET', url: EVENTS_PATH, handler: serve })
  app.route({
    method: ALL_METHODS.filter((method) => method !== 'GET' && method !== 'HEAD'),
    url: EVENTS_PATH,
    handler: (_, reply) => {
      void reply.header('allow', 'GET')
      send(reply, refused('method-not-allowed', null, {}))
    },
  })
  for (const url of [API_PATH, `${API_PATH}/*`]) {
    app.route({
      method: ALL_METHODS,
      url,
      handler: (_, reply) => send(reply, refused('not-found', null, {})),
    })
  }

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!deps.isReady()) return send(reply, refused('unavailable', null, {}))
    const receivedAt = deps.clock.now()
    let requestId: bigint | null = null
    let answer: Answer
    try {
      requestId = await deps.nextRequestId()
      answer = await answerTo(request, reply, requestId)
    } catch (error) {
      if (!deps.isUnavailable(error)) logFault(request, error, requestId)
      const name = deps.isUnavailable(error) ? 'unavailable' : 'internal-error'
      answer = refused(name, requestId, {})
    }
    send(reply, answer)
    if (requestId !== null) keep(request, requestId, receivedAt, answer)
  }

  async function answerTo(
    request: FastifyRequest,
    reply: FastifyReply,
    requestId: bigint,
  ): Promise<Answer> {
    const login = readBasicLogin(request.headers.authorization)
    if (login === null) return refused('unauthenticated', requestId, {})
    const { password, username } = login
    const access = await deps.authenticate(username, password, '0', clientAddress(request))
    if (access.kind === 'refused') {
      const { merchantId = null, refusal } = access
      return { ...refused(NOT_LET_IN[refusal], requestId, {}), merchantId }
    }
    const { user } = access
    const { merchantId } = user
    const refuse = (name: ProblemName, extensions: ProblemExtensions = {}): Answer => ({
      ...refused(name, requestId, extensions),
      user,
      merchantId,
    })
    if (!(await deps.allowRequest(user.id))) return refuse('rate-limited')
    if (!user.readsApi) return refuse('right-missing')
    const read = readFeedParameters(queryOf(request))
    if (!read.ok) {
      const { detail, parameter } = read
      return refuse('parameter-invalid', { detail, parameter })
    }
    const { after, limit, siteId, types, waitMs } = read.parameters
    const poll = waitMs === 0 ? null : polls.open(user.id)
    if (poll === false) return refuse('too-many-polls')
    try {
      const signal = signalOf(reply)
      const filter = { merchantId, siteId, types }
      return layOut(await deps.readFeed({ filter, after, limit, waitMs, signal }), refuse, user)
    } finally {
      poll?.close()
    }
  }

  /** A request log that fails takes no answer with it. */
  function keep(
    request: FastifyRequest,
    requestId: bigint,
    receivedAt: Date,
    { merchantId, parameter, problem, status, user }: Answer,
  ): void {
    try {
      deps.logRequest({
        requestId,
        receivedAt,
        merchantId,
        isUnproven: user === null,
        siteId: null,
        username: user?.username ?? '',
        address: clientAddress(request),
        action: EVENTS_ACTION,
        parameters: user === null ? '{}' : maskedQuery(request),
        httpStatus: status,
        apiCode: problem ?? '',
        serviceCode: 0,
        refField: maskText(parameter),
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

function layOut(
  answer: FeedAnswer,
  refuse: (name: ProblemName, extensions: ProblemExtensions) => Answer,
  user: ApiUser,
): Answer {
  switch (answer.kind) {
    case 'page':
      return {
        status: 200,
        // The events are JSON already.
        body:
          `{"events":[${answer.events.join(',')}],` +
          `"cursor":${JSON.stringify(answer.cursor)},"has_more":${answer.hasMore}}`,
        problem: null,
        parameter: '',
        user,
        merchantId: user.merchantId,
      }
    case 'cursor_invalid':
      return refuse('cursor-invalid', { parameter: 'after' })
    case 'filter_changed':
      return refuse('filter-changed', { parameter: 'after' })
    case 'cursor_expired':
      return refuse('cursor-expired', { parameter: 'after', cursor: answer.cursor })
    case 'feed_forked':
      return refuse('feed-forked', { parameter: 'after', cursor: answer.cursor })
  }
}

function refused(
  problem: ProblemName,
  requestId: bigint | null,
  extensions: ProblemExtensions,
): Answer {
  return {
    status: PROBLEMS[problem].status,
    body: problemBody(problem, requestId, extensions),
    problem,
    parameter: extensions.parameter ?? '',
    user: null,
    merchantId: null,
  }
}

function send(reply: FastifyReply, { body, problem, status }: Answer): void {
  if (status === 401)
    void reply.header('www-authenticate', 'Basic realm="Tollgate", charset="UTF-8"')
  if (status === 429 || status === 503) void reply.header('retry-after', '1')
  void reply
    .code(status)
    .header('cache-control', 'no-store')
    .header('content-type', problem === null ? 'application/json' : 'application/problem+json')
    .send(body)
}

function queryOf({ url }: FastifyRequest): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

function maskedQuery(request: FastifyRequest): string {
  const pairs = [...new URLSearchParams(queryOf(request))]
  return JSON.stringify(
    Object.fromEntries(
      pairs.map(([name, value]) => [maskText(name.slice(0, 64)), maskText(value.slice(0, 200))]),
    ),
  )
}

/** Aborted once the client has gone. */
function signalOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  return gone.signal
}
