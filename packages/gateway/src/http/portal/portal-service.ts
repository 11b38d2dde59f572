import { Readable } from 'node:stream'
import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { mayDo, RIGHTS } from '../../domain/portal/rights.ts'
import { Secret } from '../../base/secret.ts'
import type { PortalSession } from '../../usecases/portal/person.ts'
import type { PortalSessions } from '../../usecases/portal/sessions.ts'
import { describeFault } from '../payment/fault-record.ts'
import { portalFiles, type PortalFiles } from './portal-files.ts'
import { Download, PortalFault, type PortalRoute } from './portal-route.ts'

export interface PortalDeps {
  readonly portal: {
    /** Null where the web application was not built; then there is only its API. */
    readonly files: PortalFiles | null
    readonly sessions: PortalSessions
    readonly routes: readonly PortalRoute[]
  }
  /** Whether an error means that the database is away. */
  readonly isUnavailable: (error: unknown) => boolean
}

const API = '/portal/api'
const COOKIE = 'tollgate_portal'
const CREDENTIALS = z.strictObject({ email: z.string().max(254), password: z.string().min(1).max(1024) })

/**
 * The portal: its web application under `/portal`, and the JSON API that this speaks to. Everything
 * that changes something comes from the portal's own pages: the cookie is not sent along from other
 * sites, and a token that other sites can't read has to be in a header.
 */
export function portalService(app: FastifyInstance, { portal, isUnavailable }: PortalDeps): void {
  const { sessions } = portal
  app.register(cookie)
  if (portal.files !== null) portalFiles(app, portal.files)

  app.setErrorHandler<Error & { readonly statusCode?: number }>((error, request, reply) => {
    if (error instanceof PortalFault) return refuse(reply, error)
    if (isUnavailable(error)) {
      void reply.header('retry-after', '1')
      return refuse(reply, new PortalFault(503, 'unavailable', 'The database can not be reached at the moment. Nothing was changed as far as is known; try again.'))
    }
    const { statusCode = 500 } = error
    if (statusCode < 500) return refuse(reply, new PortalFault(statusCode, 'unreadable', 'The request can not be read.'))
    request.log.error(describeFault(error), 'A request of the portal ended in a fault of the gateway.')
    return refuse(reply, new PortalFault(500, 'fault', 'The gateway has a fault. It was logged; try again.'))
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.url.startsWith(API)) void reply.header('cache-control', 'no-store')
    done(null, payload)
  })

  app.post(`${API}/session`, async (request, reply) => {
    assertOwnPage(request)
    const { email, password } = read(CREDENTIALS, request.body)
    const token = await sessions.signIn(email, new Secret(password), {
      address: request.ip,
      browser: request.headers['user-agent'] ?? '',
    })
    if (token === null) {
      throw new PortalFault(401, 'sign_in_refused', 'The e-mail address and the password do not belong together.')
    }
    void reply.setCookie(COOKIE, token, {
      path: '/portal',
      httpOnly: true,
      sameSite: 'strict',
      secure: request.protocol === 'https',
    })
    const session = await sessions.find(token)
    if (session === null) throw signedOut()
    return send(reply, await sessions.view(session))
  })

  app.get(`${API}/session`, async (request, reply) => send(reply, await sessions.view(await sessionOf(request))))

  app.delete(`${API}/session`, async (request, reply) => {
    const session = await sessionOf(request)
    assertToken(request, session)
    await sessions.signOut(session)
    void reply.clearCookie(COOKIE, { path: '/portal' })
    return send(reply, { done: true })
  })

  for (const route of portal.routes) {
    app.route({
      method: route.method,
      url: `${API}${route.path}`,
      handler: (request, reply) => answer(route, request, reply),
    })
  }

  async function answer(route: PortalRoute, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const session = await sessionOf(request)
    if (route.method !== 'GET') assertToken(request, session)
    if (route.right !== null && !mayDo(session.person.role, route.right)) {
      throw new PortalFault(403, 'not_allowed', `Your role does not allow you to ${RIGHTS[route.right]}. An owner or admin can change that.`)
    }
    const result = await route.handle({
      person: session.person,
      session,
      address: request.ip,
      params: request.params as Readonly<Record<string, string>>,
      query: route.query === null ? undefined : read(route.query, request.query),
      body: route.body === null ? undefined : read(route.body, request.body),
    })
    if (!(result instanceof Download)) return send(reply, result)
    return reply
      .type(result.type)
      .header('content-disposition', `attachment; filename="${result.name}"`)
      .send(Readable.from(result.pieces))
  }

  async function sessionOf(request: FastifyRequest): Promise<PortalSession> {
    const token = request.cookies[COOKIE]
    const session = token === undefined ? null : await sessions.find(token)
    if (session === null) throw signedOut()
    return session
  }
}

function signedOut(): PortalFault {
  return new PortalFault(401, 'signed_out', 'You are signed out. Sign in again to go on.')
}

/** Browsers say where a request comes from; those that do not say it are old, or no browsers. */
function assertOwnPage(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') {
    throw new PortalFault(403, 'foreign_page', 'The request comes from a page that is not the portal.')
  }
}

function assertToken(request: FastifyRequest, session: PortalSession): void {
  assertOwnPage(request)
  if (request.headers['x-csrf-token'] === session.csrfToken) return
  throw new PortalFault(403, 'csrf', 'The request does not come from an open page of the portal. Load the page again.')
}

function read<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const field = issue?.path.join('.') ?? ''
  throw new PortalFault(400, 'invalid', `${field === '' ? 'The request' : field}: ${issue?.message ?? 'it can not be read'}.`, field === '' ? null : field)
}

function refuse(reply: FastifyReply, { status, code, message, field }: PortalFault): FastifyReply {
  return send(reply.code(status), { error: { code, message, ...(field === null ? {} : { field }) } })
}

/** Amounts and ids are larger than what JSON's numbers hold exactly, so they go as text. */
function send(reply: FastifyReply, value: unknown): FastifyReply {
  const text = JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))
  return reply.type('application/json; charset=utf-8').send(text)
}
