import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { maskText } from '../../base/card-masking.ts'
import type { Clock } from '../../base/clock.ts'
import type { RequestLogEntry } from '../../usecases/audit/request-log.ts'
import { clientAddress } from '../servers/client-address.ts'
import type { Answer, Echo } from './answer.ts'
import { echoOf } from './answer.ts'
import { charsetOf } from './charset.ts'
import { logFault } from './fault-log.ts'
import type { Form } from './form.ts'
import { readForm } from './form.ts'
import type { Format } from './formats/format.ts'
import { readFormat, write } from './formats/format.ts'
import { maskParameters } from './masking.ts'
import { lookUpName } from './parameter-names.ts'
import type { Refusal, RefusalName } from './refusals.ts'
import { REFUSALS } from './refusals.ts'
import type { Response } from './respond.ts'

/** What every address with a form of a merchant's server needs. */
export interface FormAddressDeps {
  readonly nextRequestId: () => bigint | Promise<bigint>
  readonly logRequest: (entry: RequestLogEntry) => void
  readonly clock: Clock
  /** False while starting, shutting down, or without what a payment needs. */
  readonly isReady: () => boolean
  /** Whether an error of a use case means that nothing was accepted. */
  readonly isUnavailable: (error: unknown) => boolean
}

/** One such address: what is its own. */
export interface FormAddress {
  readonly path: string
  /** Where the request does not ask for one. */
  readonly format: Format
  /** What the request log calls a request here; null: what REQUEST_ACTION says. */
  readonly action: string | null
  /** Answers a form; what it throws becomes 503 or API 120. */
  readonly respond: (
    form: Form,
    requestId: bigint,
    echo: Echo,
    address: string,
  ) => Promise<Response>
  /** What the request log is to have beside the parameters. */
  readonly warnings?: (params: Form['params'], answer: Answer) => readonly string[]
  /** Lays out a refusal. */
  readonly refuse: (refusal: Refusal, field: string, echo: Echo) => Answer
}

/** Far above any request of the interface, and small enough to hold thousands at once. */
export const BODY_LIMIT_BYTES = 64 * 1024
const RETRY_AFTER_S = '1'
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(['REQUEST_PARES'])
const EMPTY_FORM: Form = { params: new Map(), unknown: [], problem: null }

/**
 * Reads forms of merchants' servers, answers them and keeps what came of them in the request log.
 */
export function formAddress(app: FastifyInstance, deps: FormAddressDeps, own: FormAddress): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES },
    (_request, body, done) => done(null, body),
  )

  app.addHook('onRequest', (request, reply, done) => {
    // Refused before the body is read. The order: nobody is served while not ready.
    if (!deps.isReady()) return unavailable(reply)
    if (request.method !== 'POST') return refuseUnread(request, reply, 'method_not_allowed')
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
    url: own.path,
    handler: (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const charset = charsetOf(request) ?? 'utf-8'
      const form = readForm(body, { charset, lookUp: lookUpName, mayBeEmpty: MAY_BE_EMPTY })
      return serve(form, request, reply)
    },
  })

  /** Answers one request whose body was read, and keeps what it was and what came of it. */
  async function serve(form: Form, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const receivedAt = deps.clock.now()
    let requestId: bigint | null = null
    let response: Response
    try {
      const given = deps.nextRequestId()
      requestId = typeof given === 'bigint' ? given : await given
      const echo = echoOf(form.params, requestId)
      response = await own.respond(form, requestId, echo, clientAddress(request))
    } catch (error) {
      const format = formatOf(form)
      if (deps.isUnavailable(error)) return unavailable(reply, form, format)
      logFault(request, error, requestId)
      const echo = echoOf(form.params, requestId)
      const answer = own.refuse(REFUSALS.system_error, '', echo)
      response = { answer, merchantId: null, siteId: null }
    }
    const format = formatOf(form)
    send(reply, response.answer, format)
    keep(form, request, receivedAt, requestId, response)
  }

  /** Answers a request whose body was not read, or can't be. */
  function refuseUnread(request: FastifyRequest, reply: FastifyReply, name: RefusalName): void {
    const receivedAt = deps.clock.now()
    if (name === 'method_not_allowed') void reply.header('allow', 'POST')
    const finish = (requestId: bigint) => {
      const answer = own.refuse(REFUSALS[name], '', echoOf(EMPTY_FORM.params, requestId))
      send(reply, answer, own.format)
      const response: Response = { answer, merchantId: null, siteId: null }
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

  /** A gateway that can't take the request now; nothing was read and nothing was stored. */
  function unavailable(reply: FastifyReply, form = EMPTY_FORM, format = own.format): void {
    send(reply, own.refuse(REFUSALS.unavailable, '', echoOf(form.params, null)), format)
  }

  /** In the format that is asked for, and in the usual one where it is none that we know. */
  function formatOf({ params }: Form): Format {
    return readFormat(params, own.format) ?? own.format
  }

  function send(reply: FastifyReply, answer: Answer, format: Format): void {
    const { type, body } = write(answer, format)
    if (answer.httpStatus === 503 || answer.httpStatus === 429) {
      void reply.header('retry-after', RETRY_AFTER_S)
    }
    void reply
      .code(answer.httpStatus)
      .header('content-type', type)
      .header('cache-control', 'no-store')
      .send(body)
  }

  /** A request log that fails must not take the answer with it: money may have moved. */
  function keep(
    form: Form,
    request: FastifyRequest,
    receivedAt: Date,
    requestId: bigint | null,
    { answer, merchantId, siteId }: Response,
  ): void {
    if (requestId === null) return
    const { params } = form
    try {
      deps.logRequest({
        requestId,
        receivedAt,
        merchantId,
        siteId,
        // Of a stranger it may be anything, a password too; the audit log names users that failed.
        username: merchantId === null ? '' : (params.get('REQ_USERNAME') ?? ''),
        address: clientAddress(request),
        action:
          own.action ?? maskText((params.get('REQUEST_ACTION') ?? '').toUpperCase().slice(0, 64)),
        parameters: maskParameters(
          params,
          form.unknown,
          merchantId !== null,
          own.warnings?.(params, answer) ?? [],
        ),
        httpStatus: answer.httpStatus,
        ...answer.summary,
        refField: maskText(answer.summary.refField),
        tookMs: deps.clock.now().getTime() - receivedAt.getTime(),
      })
    } catch (error) {
      logFault(request, error, requestId)
    }
  }
}
