import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import type { RequestLogEntry } from '../../usecases/audit/request-log.ts'
import { clientAddress } from '../servers/client-address.ts'
import { FORM_LIMIT, takeRawBodies } from '../servers/raw-bodies.ts'
import type { WireAnswer } from './answer.ts'
import { charsetOf, FORM_TYPE } from './charset.ts'
import { explainingHeaders, type WhyUrl } from './explaining-headers.ts'
import { logFault } from './fault-log.ts'
import { deliverFaultily } from './faulty-delivery.ts'
import type { Form, FormCharset } from './form.ts'
import type { RefusalName } from './refusals.ts'

/** The dependencies of every address with a form. */
export interface FormAddressDeps {
  readonly nextRequestId: () => bigint | Promise<bigint>
  readonly logRequest: (entry: RequestLogEntry) => void
  readonly clock: Clock
  /** False while starting, shutting down, or without what a payment needs. */
  readonly isReady: () => boolean
  /** Whether an error of a use case means that nothing was accepted. */
  readonly isUnavailable: (error: unknown) => boolean
  /** Null in production. */
  readonly whyUrl: WhyUrl
}

/** Refusals for which no address looks at the form. */
export type FormRefusal = Extract<
  RefusalName,
  | 'unavailable'
  | 'method_not_allowed'
  | 'type_unsupported'
  | 'body_too_large'
  | 'request_malformed'
  | 'system_error'
>

/** An answer as it goes over the wire, with the headers that are its own. */
export interface WrittenAnswer {
  readonly type: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** Fields of the request log for a request and its answer, beside those of every request. */
export type LoggedAnswer = Omit<
  RequestLogEntry,
  'requestId' | 'receivedAt' | 'address' | 'httpStatus' | 'tookMs'
>

interface Answered {
  readonly answer: Pick<WireAnswer, 'delivery'> & { readonly httpStatus: number }
}

/**
 * The settings of one such address. `T` is its answer before it is written, `F` its form with what
 * is read from the parameters for every answer.
 */
export interface FormAddress<T extends Answered, F extends Form> {
  readonly path: string
  /** The methods whose forms are read; every other method is refused. */
  readonly methods: readonly string[]
  /** The methods that a refusal names in the header Allow. */
  readonly allow: string
  /** Whether a request of this sender can be answered now, as far as its head shows; else 503. */
  readonly hasRoom?: (request: FastifyRequest) => boolean
  /** Answers OPTIONS, which is refused where this is missing. */
  readonly preflight?: (reply: FastifyReply) => void
  readonly readForm: (request: FastifyRequest, body: Buffer, charset: FormCharset) => F
  /** Stands for the form of a request whose form was not read. */
  readonly unread: F
  /** Answers a form; what it throws becomes `unavailable` or `system_error`. */
  readonly respond: (form: F, request: FastifyRequest, requestId: bigint) => T | Promise<T>
  /** @param requestId null where not even that could be had. */
  readonly refuse: (name: FormRefusal, form: F, requestId: bigint | null) => T
  readonly write: (
    response: T,
    form: F,
    request: Pick<FastifyRequest, 'headers'>,
    requestId: bigint | null,
  ) => WrittenAnswer
  readonly log: (response: T, form: F) => LoggedAnswer
}

const RETRY_AFTER_S = '1'
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** The form of a request whose form was not read. */
export const EMPTY_FORM: Form = { params: new Map(), unknown: [], problem: null }

/** Reads forms, answers them and keeps what came of them in the request log. */
export function formAddress<T extends Answered, F extends Form>(
  app: FastifyInstance,
  deps: FormAddressDeps,
  own: FormAddress<T, F>,
): void {
  takeRawBodies(app, FORM_LIMIT)
  // A request without readable HTTP has no id: it costs no query, and nothing of it is kept.
  const malformed = own.refuse('request_malformed', own.unread, null)
  app.brokenBodies.set(own.path, () => own.write(malformed, own.unread, { headers: {} }, null))

  app.addHook('onRequest', (request, reply, done) => {
    // Refused before the body is read. A gateway that is not ready serves nothing.
    if (!deps.isReady() || own.hasRoom?.(request) === false) return unavailable(request, reply)
    if (request.method === 'OPTIONS' && own.preflight !== undefined) return own.preflight(reply)
    if (!own.methods.includes(request.method)) {
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
    url: own.path,
    handler: (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const form = own.readForm(request, body, charsetOf(request) ?? 'utf-8')
      return serve(form, request, reply, false)
    },
  })

  /** Answers one request whose body was read, and keeps what it was and what came of it. */
  async function serve(
    form: F,
    request: FastifyRequest,
    reply: FastifyReply,
    isSecond: boolean,
  ): Promise<void> {
    const receivedAt = deps.clock.now()
    let requestId: bigint | null = null
    let response: T
    try {
      const given = deps.nextRequestId()
      requestId = typeof given === 'bigint' ? given : await given
      response = await own.respond(form, request, requestId)
    } catch (error) {
      if (deps.isUnavailable(error)) return unavailable(request, reply, form)
      logFault(request, error, requestId)
      response = own.refuse('system_error', form, requestId)
    }
    const { delivery } = response.answer
    if (delivery === undefined) {
      send(request, reply, response, form, requestId)
      return keep(form, request, receivedAt, requestId, response)
    }
    keep(form, request, receivedAt, requestId, response)
    if (delivery.kind === 'twice' && !isSecond) return serve(form, request, reply, true)
    const { httpStatus: status } = response.answer
    const { type, body, headers } = own.write(response, form, request, requestId)
    const sent = { ...headers, 'content-type': type, 'cache-control': 'no-store' }
    const written = { status, body, headers: sent }
    await deliverFaultily(reply, delivery, written, () =>
      send(request, reply, response, form, requestId),
    )
  }

  /** Answers a request whose body was not read, or cannot be. */
  function refuseUnread(request: FastifyRequest, reply: FastifyReply, name: FormRefusal): void {
    const receivedAt = deps.clock.now()
    const finish = (requestId: bigint): void => {
      const response = own.refuse(name, own.unread, requestId)
      send(request, reply, response, own.unread, requestId)
      keep(own.unread, request, receivedAt, requestId, response)
    }
    Promise.resolve()
      .then(() => deps.nextRequestId())
      .then(finish)
      .catch((error: unknown) => {
        if (!deps.isUnavailable(error)) logFault(request, error, null)
        if (!reply.sent) unavailable(request, reply)
      })
  }

  /** Answers that the gateway cannot take the request now; nothing was read or stored. */
  function unavailable(request: FastifyRequest, reply: FastifyReply, form = own.unread): void {
    send(request, reply, own.refuse('unavailable', form, null), form, null)
  }

  function send(
    request: FastifyRequest,
    reply: FastifyReply,
    response: T,
    form: F,
    requestId: bigint | null,
  ): void {
    const { httpStatus } = response.answer
    const { type, body, headers } = own.write(response, form, request, requestId)
    if (httpStatus === 503 || httpStatus === 429) void reply.header('retry-after', RETRY_AFTER_S)
    if (httpStatus === 405) void reply.header('allow', own.allow)
    if (httpStatus === 415) void reply.header('accept', FORM_TYPE)
    void reply
      .code(httpStatus)
      .header('content-type', type)
      .header('cache-control', 'no-store')
      .headers({ ...explainingHeaders(deps.whyUrl, form, requestId), ...headers })
      .send(body)
  }

  /** A request log that fails must not take the answer with it: money may have moved. */
  function keep(
    form: F,
    request: FastifyRequest,
    receivedAt: Date,
    requestId: bigint | null,
    response: T,
  ): void {
    if (requestId === null) return
    try {
      deps.logRequest({
        ...own.log(response, form),
        requestId,
        receivedAt,
        address: clientAddress(request),
        httpStatus: response.answer.httpStatus,
        tookMs: deps.clock.now().getTime() - receivedAt.getTime(),
      })
    } catch (error) {
      logFault(request, error, requestId)
    }
  }
}
