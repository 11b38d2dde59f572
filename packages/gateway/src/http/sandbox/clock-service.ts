import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type {
  ChangeClock,
  ClockRefusalCode,
  ClockView,
} from '../../usecases/clocks/change-clock.ts'
import type { ReadAgenda } from '../../usecases/clocks/read-agenda.ts'
import type { Authenticate } from '../../usecases/logins/authenticate.ts'
import type { AccessRefusal, ApiUser, Site } from '../../usecases/merchants/merchant-directory.ts'
import { logFault } from '../payment/fault-log.ts'
import { clientAddress } from '../servers/client-address.ts'
import { takeRawBodies } from '../servers/raw-bodies.ts'
import {
  assertNames,
  ClockRequestError,
  readBody,
  readCaller,
  readCursor,
  readLimit,
  readWait,
  readClockCommand,
  writeCursor,
  type Body,
} from './clock-request.ts'

export interface ClockServiceDeps {
  readonly authenticate: Authenticate
  /** False when the user has sent more than its share. */
  readonly allowRequest: (userId: bigint) => boolean | Promise<boolean>
  readonly changeClock: ChangeClock
  readonly readAgenda: ReadAgenda
  readonly isReady: () => boolean
  readonly isUnavailable: (error: unknown) => boolean
}

export const CLOCK_PATH = '/sandbox/clock'
/** The actions that may follow the path; without one the clock is shown. */
export const CLOCK_ACTIONS = ['jump', 'step', 'speed', 'stop', 'reset', 'agenda'] as const
const BODY_LIMIT_BYTES = 4 * 1024

interface Answer {
  readonly status: number
  readonly body: object
}

/** Every code of a refusal and its HTTP status; docs/integrators/test-clock.md lists the same. */
export function clockRefusals(): ReadonlyMap<string, number> {
  const ofAccess = Object.entries(NOT_LET_IN).map(([code, [status]]) => [code, status] as const)
  return new Map([...ofAccess, ...Object.entries(REFUSED), ...Object.entries(OTHER_FAULTS)])
}

const OTHER_FAULTS = {
  malformed: 400,
  not_json: 415,
  too_large: 413,
  too_many: 429,
  fault: 500,
  unavailable: 503,
} as const

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

const REFUSED: Readonly<Record<ClockRefusalCode, number>> = {
  live_site: 403,
  backwards: 409,
  ahead: 409,
  moving: 409,
  too_far: 400,
  speed_out_of_range: 400,
}

/**
 * Clocks of test sites, for integrators: JSON in and out, one address for each thing to do.
 * Credentials are in the body, never in the address.
 */
export function clockService(app: FastifyInstance, deps: ClockServiceDeps): void {
  takeRawBodies(app, BODY_LIMIT_BYTES)
  app.setErrorHandler<Error & { readonly statusCode?: number }>((error, request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode === 413)
      return send(reply, fault(413, 'body', 'too_large', 'The body is longer than 4 KiB.'))
    if (statusCode < 500)
      return send(reply, fault(400, '', 'malformed', 'The request cannot be read.'))
    if (deps.isUnavailable(error)) return send(reply, UNAVAILABLE)
    logFault(request, error, null)
    send(
      reply,
      fault(
        500,
        '',
        'fault',
        'Internal gateway error. Nothing is known to have changed: look at the clock.',
      ),
    )
  })
  app.route({
    method: 'POST',
    url: CLOCK_PATH,
    handler: (request, reply) => serve('show', request, reply),
  })
  for (const action of CLOCK_ACTIONS) {
    app.route({
      method: 'POST',
      url: `${CLOCK_PATH}/${action}`,
      handler: (request, reply) => serve(action, request, reply),
    })
  }

  async function serve(
    action: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    if (!deps.isReady()) return send(reply, UNAVAILABLE)
    try {
      send(reply, await answer(action, request))
    } catch (error) {
      if (!(error instanceof ClockRequestError)) throw error
      send(reply, fault(400, error.field, 'malformed', error.message))
    }
  }

  async function answer(action: string, request: FastifyRequest): Promise<Answer> {
    // A page of another origin cannot send this type without a permission, which it never gets.
    if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) return NOT_JSON
    const body = readBody(request.body)
    const { username, password, site: siteText } = readCaller(body)
    const access = await deps.authenticate(username, password, siteText, clientAddress(request))
    if (access.kind === 'refused') {
      const [status, sentence] = NOT_LET_IN[access.refusal]
      return fault(status, '', access.refusal, sentence)
    }
    const { site, user } = access
    if (site === null) return fault(404, 'site', 'site_unknown', NOT_LET_IN.site_unknown[1])
    if (!(await deps.allowRequest(user.id))) {
      return fault(
        429,
        '',
        'too_many',
        'The user sends more requests than it may. Wait for a second.',
      )
    }
    assertNames(action, body)
    return action === 'agenda' ? agenda(site, body) : change(action, site, user, body)
  }

  async function change(action: string, site: Site, user: ApiUser, body: Body): Promise<Answer> {
    const command = readClockCommand(action, body)
    if (command === null) return fault(404, '', 'unknown', 'There is nothing at this address.')
    const result = await deps.changeClock(site, command, `api:${user.username}`, readWait(body))
    if (!result.ok) {
      const { code, faults, view } = result
      const { status, body: refusal } = fault(REFUSED[code], '', code, faults.join(' '))
      return { status, body: { ...refusal, ...(view === null ? {} : shown(site, view)) } }
    }
    // Under way, and longer than was to be waited for.
    const isOnItsWay = result.view.target !== null && command.kind !== 'show'
    return { status: isOnItsWay ? 202 : 200, body: shown(site, result.view) }
  }

  async function agenda(site: Site, body: Body): Promise<Answer> {
    if (site.mode !== 'test') {
      return fault(
        403,
        'site',
        'live_site',
        'The site is in live mode. Only sites in test mode have an agenda.',
      )
    }
    const { entries, next } = await deps.readAgenda(site, readCursor(body), readLimit(body))
    return {
      status: 200,
      body: {
        site: Number(site.id),
        time: site.clock.now().toISOString(),
        agenda: entries.map(({ at, object, what }) => ({ at: at.toISOString(), what, object })),
        next: next === null ? null : writeCursor(next),
      },
    }
  }
}

function shown(site: Site, view: ClockView): object {
  return {
    site: Number(site.id),
    time: view.time.toISOString(),
    realTime: view.machineTime.toISOString(),
    ownClock: view.hasOwnClock,
    speed: view.speed,
    movingTo: view.target?.toISOString() ?? null,
    movedFrom: view.movedFrom?.toISOString() ?? null,
    done: view.done,
  }
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

function fault(status: number, field: string, code: string, message: string): Answer {
  return { status, body: { error: { code, ...(field === '' ? {} : { field }), message } } }
}

function send(reply: FastifyReply, { status, body }: Answer): void {
  if (status === 429 || status === 503) void reply.header('retry-after', '1')
  void reply
    .code(status)
    .type('application/json; charset=utf-8')
    .header('cache-control', 'no-store')
  void reply.send(JSON.stringify(body))
}
