import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from '../../usecases/logins/authenticate.ts'
import type { AccessRefusal, ApiUser, Site } from '../../usecases/merchants/merchant-directory.ts'
import { logFault } from '../payment/fault-log.ts'
import { clientAddress } from '../servers/client-address.ts'
import { takeRawBodies } from '../servers/raw-bodies.ts'
import { readBody, readCaller, SandboxRequestError, type Body } from './sandbox-request.ts'

export interface SandboxGateDeps {
  readonly authenticate: Authenticate
  /** False when the user has sent more than its share. */
  readonly allowRequest: (user: ApiUser) => boolean | Promise<boolean>
  readonly isReady: () => boolean
  readonly isUnavailable: (error: unknown) => boolean
}

export interface SandboxAnswer {
  readonly status: number
  readonly body: object
}

/** A request of an API user of the site. */
export interface SandboxCall {
  /** Of the address; '' without one. */
  readonly id: string
  readonly site: Site
  readonly user: ApiUser
  readonly body: Body
}

const BODY_LIMIT_BYTES = 4 * 1024

const NOT_LET_IN: Readonly<Record<AccessRefusal, readonly [status: number, sentence: string]>> = {
  throttled: [429, 'Too many logins have failed from this address. Wait ten minutes.'],
  credentials_wrong: [
    401,
    'username or password is wrong. Expected those of the payment interface.',
  ],
  user_inactive: [403, 'The API user may not log in. Ask who runs the gateway.'],
  site_unknown: [
    404,
    "The site is not one of the user's merchant. Expected the SITE_ID that it pays under.",
  ],
}

/** The codes with which every address of the sandbox refuses, and their HTTP status. */
export const GATE_REFUSALS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(Object.entries(NOT_LET_IN).map(([code, [status]]) => [code, status])),
  malformed: 400,
  not_json: 415,
  too_large: 413,
  too_many: 429,
  fault: 500,
  unavailable: 503,
}

/**
 * Addresses of the sandbox for integrators: JSON in and out, with the credentials in the body.
 * Returns a function that puts one address there.
 * @param lookAt where an integrator sees what changed, after an internal error
 */
export function sandboxAddresses(
  app: FastifyInstance,
  deps: SandboxGateDeps,
  lookAt: string,
): (
  url: string,
  handle: (call: SandboxCall) => Promise<SandboxAnswer>,
  method?: 'POST' | 'DELETE',
) => void {
  takeRawBodies(app, BODY_LIMIT_BYTES)
  app.setErrorHandler<Error & { readonly statusCode?: number }>((error, request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode === 413)
      return send(reply, fault(413, 'body', 'too_large', 'The body is longer than 4 KiB.'))
    if (statusCode < 500)
      return send(reply, fault(400, '', 'malformed', 'The request cannot be read.'))
    if (deps.isUnavailable(error)) return send(reply, UNAVAILABLE)
    logFault(request, error, null)
    const sentence = `Internal gateway error. Nothing is known to have changed: look at ${lookAt}.`
    send(reply, fault(500, '', 'fault', sentence))
  })
  return (url, handle, method = 'POST') => {
    app.route<{ Params: { id?: string } }>({
      method,
      url,
      async handler(request, reply) {
        if (!deps.isReady()) return send(reply, UNAVAILABLE)
        try {
          send(reply, await answer(deps, request, handle))
        } catch (error) {
          if (!(error instanceof SandboxRequestError)) throw error
          send(reply, fault(400, error.field, 'malformed', error.message))
        }
      },
    })
  }
}

async function answer(
  { allowRequest, authenticate }: SandboxGateDeps,
  request: FastifyRequest<{ Params: { id?: string } }>,
  handle: (call: SandboxCall) => Promise<SandboxAnswer>,
): Promise<SandboxAnswer> {
  // A page of another origin cannot send this type without a permission, which it never gets.
  if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) return NOT_JSON
  const body = readBody(request.body)
  const { username, password, site: siteText } = readCaller(body)
  const access = await authenticate(username, password, siteText, clientAddress(request))
  if (access.kind === 'refused') {
    const [status, sentence] = NOT_LET_IN[access.refusal]
    return fault(status, '', access.refusal, sentence)
  }
  const { site, user } = access
  if (site === null) return fault(404, 'site', 'site_unknown', NOT_LET_IN.site_unknown[1])
  if (await allowRequest(user)) return handle({ id: request.params.id ?? '', site, user, body })
  const sentence = 'The user sends more requests than it may. Wait for a second.'
  return fault(429, '', 'too_many', sentence)
}

const JSON_TYPE = /^application\/json *(;|$)/i
const NOT_JSON = fault(
  415,
  '',
  'not_json',
  'The Content-Type is not application/json. Expected a JSON body under that type.',
)

const UNAVAILABLE = fault(
  503,
  '',
  'unavailable',
  'The gateway cannot do this now. Try again in a second.',
)

/** A refusal. `field`: the member at fault; '' for none. */
export function fault(status: number, field: string, code: string, message: string): SandboxAnswer {
  return { status, body: { error: { code, ...(field === '' ? {} : { field }), message } } }
}

function send(reply: FastifyReply, { status, body }: SandboxAnswer): void {
  if (status === 429 || status === 503) void reply.header('retry-after', '1')
  void reply
    .code(status)
    .type('application/json; charset=utf-8')
    .header('cache-control', 'no-store')
  void reply.send(JSON.stringify(body))
}
