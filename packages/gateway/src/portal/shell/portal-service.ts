import cookie from '@fastify/cookie'
import { mayDo, RIGHTS } from '@tollgate/portal-contract/rights'
import { API } from '@tollgate/portal-contract/route'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { describeFault } from '../../http/payment/fault-record.ts'
import { clientAddress } from '../../http/servers/client-address.ts'
import { heldFault } from './domain/reset-mark.ts'
import { read, refuse, send } from './portal-answer.ts'
import { portalFiles, type PortalFiles } from './portal-files.ts'
import { createPortalGuard, signedOut, type PortalGuardDeps } from './portal-guard.ts'
import { Download, PortalFault, type PortalRoute } from './portal-route.ts'
import { portalSignIn } from './portal-sign-in.ts'
import type { Invitations } from './usecases/invitations.ts'
import type { PortalSession } from './usecases/portal-user.ts'
import type { PortalSessions } from './usecases/sessions.ts'

export interface PortalDeps {
  readonly portal: Omit<PortalGuardDeps, 'sessions'> & {
    /** Null where the web application was not built; then there is only its API. */
    readonly files: PortalFiles | null
    readonly sessions: PortalSessions
    readonly invitations: Invitations
    readonly routes: readonly PortalRoute[]
  }
  /** Whether an error means that the database is away. */
  readonly isUnavailable: (error: unknown) => boolean
}

/** The largest thing that portal users send is a file of settings. */
const BODY_LIMIT_BYTES = 256 * 1024
const FILES_AT_ONCE = 2

/**
 * The portal: its web application under `/portal`, and its JSON API. Every change comes from the
 * portal's own pages. The cookie is not sent along from other sites, and a header must have a token
 * that other sites cannot read.
 */
export function portalService(app: FastifyInstance, { portal, isUnavailable }: PortalDeps): void {
  const guard = createPortalGuard(portal)
  app.register(cookie)
  // Forms of other sites can send every type except this one.
  app.removeAllContentTypeParsers()
  const readJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
    readJson,
  )
  if (portal.files !== null) portalFiles(app, portal.files)

  app.setErrorHandler<Error & { readonly statusCode?: number }>((error, request, reply) => {
    if (error instanceof PortalFault) return refuse(reply, error)
    if (isUnavailable(error)) {
      return refuse(
        reply,
        new PortalFault(
          503,
          'unavailable',
          'The database cannot be reached. As far as the gateway knows, nothing was changed. Try again.',
        ),
      )
    }
    const { statusCode = 500 } = error
    if (statusCode < 500)
      return refuse(reply, new PortalFault(statusCode, 'unreadable', 'The request is invalid.'))
    request.log.error(describeFault(error), 'A portal request failed with an internal error.')
    return refuse(
      reply,
      new PortalFault(500, 'fault', 'Internal gateway error. It was logged. Try again.'),
    )
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.url.startsWith(API)) {
      void reply.headers({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'x-frame-options': 'DENY',
      })
    }
    done(null, payload)
  })

  for (const route of portalSignIn({ ...portal, guard })) {
    app.route({
      method: route.method,
      url: `${API}${route.path}`,
      handler: async (request, reply) => {
        guard.assertFromHere(request)
        return send(reply, await route.handle(request, reply))
      },
    })
  }
  for (const route of portal.routes) {
    app.route({
      method: route.method,
      url: `${API}${route.path}`,
      ...(route.bodyLimit === null
        ? {}
        : {
            bodyLimit: route.bodyLimit,
            // An anonymous client does not make the gateway read a large body.
            onRequest: async (request: FastifyRequest) => {
              guard.assertFromHere(request)
              if ((await guard.findSession(request)) === null) throw signedOut()
            },
          }),
      handler: (request, reply) => answer(route, request, reply),
    })
  }

  const files = new Map<bigint, number>()

  /** A file goes through whole tables while it is sent, so each user has only a few at a time. */
  function countFile(portalUserId: bigint, reply: FastifyReply): void {
    const underWay = files.get(portalUserId) ?? 0
    if (underWay >= FILES_AT_ONCE) {
      throw new PortalFault(
        429,
        'too_many_files',
        `${FILES_AT_ONCE} of your downloads are already running. Wait until one is complete.`,
      )
    }
    // A client that has left meanwhile closes nothing any more.
    if (reply.raw.destroyed) return
    files.set(portalUserId, underWay + 1)
    reply.raw.once('close', () => {
      const left = (files.get(portalUserId) ?? 1) - 1
      if (left === 0) files.delete(portalUserId)
      else files.set(portalUserId, left)
    })
  }

  async function answer(
    route: PortalRoute,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    guard.assertFromHere(request)
    const session = await guard.session(request)
    assertIn(route, session)
    if (route.method !== 'GET') guard.assertToken(request, session)
    if (route.right !== null && !mayDo(session.portalUser.role, route.right)) {
      throw new PortalFault(
        403,
        'not_allowed',
        `Your role does not allow you to ${RIGHTS[route.right]}. Ask an owner or admin for another role.`,
      )
    }
    const held = route.method === 'GET' ? null : heldFault(session.cameIn, route.right)
    if (held !== null) throw new PortalFault(403, 'held', held)
    const result = await route.handle({
      portalUser: session.portalUser,
      session,
      address: clientAddress(request),
      params: request.params as Readonly<Record<string, string>>,
      query: route.query === null ? undefined : read(route.query, request.query),
      body: route.body === null ? undefined : read(route.body, request.body),
    })
    if (!(result instanceof Download)) return send(reply, result)
    countFile(session.portalUser.id, reply)
    return reply
      .type(result.type)
      .header('content-disposition', `attachment; filename="${result.name}"`)
      .send(Readable.from(result.pieces))
  }
}

/** A user with a sign-in step left gets no further than that. */
function assertIn({ onTheWayIn }: PortalRoute, { next }: PortalSession): void {
  if (next === null || next === onTheWayIn) return
  throw new PortalFault(401, 'unfinished', 'You are not signed in yet. Complete the sign-in.')
}
