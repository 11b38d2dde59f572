import cookie from '@fastify/cookie'
import type { Route } from '@tollgate/portal-contract/route'
import type { sessionTable } from '@tollgate/portal-contract/routes/session'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { describeFault } from '../../http/payment/fault-record.ts'
import { clientAddress } from '../../http/servers/client-address.ts'
import { read, refuse, send } from './portal-answer.ts'
import { portalFiles, type PortalFiles } from './portal-files.ts'
import { createPortalGuard, signedOut, type PortalGuardDeps } from './portal-guard.ts'
import { Download, PortalFault, type ServedRoute } from './portal-route.ts'
import { portalSignIn, type SignInSessions } from './portal-sign-in.ts'
import type { Invitations } from './usecases/invitations.ts'
import type { OpenSession } from './usecases/portal-user.ts'

/** Pages with a sign-in of their own, and their JSON API: the portal, or the console. */
export interface PagePlace<Session extends OpenSession, View, Right extends string> extends Omit<
  PortalGuardDeps<Session>,
  'sessions'
> {
  /** The path of the pages, such as `/portal`; their API is below, at `/api`. */
  readonly root: string
  /** Null where the web application was not built; then there is only its API. */
  readonly files: PortalFiles | null
  readonly table: ReturnType<typeof sessionTable<View>>
  readonly sessions: SignInSessions<Session, View>
  readonly invitations: Invitations
  readonly routes: readonly ServedRoute<Session, Right>[]
  /** Called with each answer of the API: its HTTP status, and its time in seconds. */
  readonly onAnswer: (status: number, seconds: number) => void
  /** Why the user of a session may not call a route; null where they may. */
  refusal(route: ServedRoute<Session, Right>, session: Session): PortalFault | null
  /** The id of the user of a session. */
  userOf(session: Session): bigint
}

/** The largest thing that portal users send is a file of settings. */
const BODY_LIMIT_BYTES = 256 * 1024
const FILES_AT_ONCE = 2

/**
 * The web application of a place, and its JSON API. Every change comes from the place's own pages.
 * The cookie is not sent along from other sites, and a header must have a token that other sites
 * cannot read.
 *
 * `isUnavailable`: whether an error means that the database is away.
 */
export function pageService<Session extends OpenSession, View, Right extends string>(
  app: FastifyInstance,
  place: PagePlace<Session, View, Right>,
  isUnavailable: (error: unknown) => boolean,
): void {
  const guard = createPortalGuard(place)
  const api = `${place.root}/api`
  app.register(cookie)
  // Forms of other sites can send every type except this one.
  app.removeAllContentTypeParsers()
  const readJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
    readJson,
  )
  if (place.files !== null) portalFiles(app, place.root, place.files)

  app.setErrorHandler<Error & { readonly statusCode?: number }>((error, request, reply) => {
    if (error instanceof PortalFault) return refuse(reply, error)
    if (isUnavailable(error)) {
      return refuse(
        reply,
        new PortalFault(
          503,
          'unavailable',
          'The database cannot be reached. As far as the gateway knows, nothing was changed. ' +
            'Try again.',
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
    if (request.url.startsWith(api)) {
      void reply.headers({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'x-frame-options': 'DENY',
      })
    }
    done(null, payload)
  })

  app.addHook('onResponse', (request, reply, done) => {
    if (request.url.startsWith(api)) place.onAnswer(reply.statusCode, reply.elapsedTime / 1_000)
    done()
  })

  for (const route of portalSignIn({ ...place, guard })) {
    app.route({
      method: route.method,
      url: `${api}${route.path}`,
      handler: async (request, reply) => {
        guard.assertFromHere(request)
        return send(reply, await route.handle(request, reply))
      },
    })
  }
  for (const route of place.routes) {
    app.route({
      method: route.method,
      url: `${api}${route.path}`,
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
  function countFile(userId: bigint, reply: FastifyReply): void {
    const underWay = files.get(userId) ?? 0
    if (underWay >= FILES_AT_ONCE) {
      throw new PortalFault(
        429,
        'too_many_files',
        `${FILES_AT_ONCE} of your downloads are already running. Wait until one is complete.`,
      )
    }
    // A client that has left meanwhile closes nothing any more.
    if (reply.raw.destroyed) return
    files.set(userId, underWay + 1)
    reply.raw.once('close', () => {
      const left = (files.get(userId) ?? 1) - 1
      if (left === 0) files.delete(userId)
      else files.set(userId, left)
    })
  }

  async function answer(
    route: ServedRoute<Session, Right>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    guard.assertFromHere(request)
    const session = await guard.session(request)
    assertIn(route, session)
    if (route.method !== 'GET') guard.assertToken(request, session)
    const refusal = place.refusal(route, session)
    if (refusal !== null) throw refusal
    const result = await route.handle({
      session,
      address: clientAddress(request),
      params: request.params as Readonly<Record<string, string>>,
      query: route.query === null ? undefined : read(route.query, request.query),
      body: route.body === null ? undefined : read(route.body, request.body),
    })
    if (!(result instanceof Download)) return send(reply, result)
    countFile(place.userOf(session), reply)
    return reply
      .type(result.type)
      .header('content-disposition', `attachment; filename="${result.name}"`)
      .send(Readable.from(result.pieces))
  }
}

/** A user with a sign-in step left gets no further than that. */
function assertIn({ onTheWayIn }: Pick<Route, 'onTheWayIn'>, { next }: OpenSession): void {
  if (next === null || next === onTheWayIn) return
  throw new PortalFault(401, 'unfinished', 'You are not signed in yet. Complete the sign-in.')
}
