import type { FastifyReply, FastifyRequest } from 'fastify'
import { timingSafeEqual } from 'node:crypto'
import { clientAddress } from '../../http/servers/client-address.ts'
import { isOwnOrigin } from '../../http/servers/foreign-pages.ts'
import { PortalFault } from './portal-route.ts'
import type { OpenSession } from './usecases/portal-user.ts'

/** The ports of the checks between a request and its route. */
export interface PortalGuardDeps<Session extends OpenSession> {
  readonly sessions: {
    /** `isSeen`: the user was active, so that the session is not idle. */
    find(token: string, isSeen: boolean): Promise<Session | null>
  }
  readonly cookie: SessionCookie
  /** The portal's origin in browsers, beside the host that a request names. */
  readonly publicOrigin: string
  /** Whether one more request may come from an address; before anything is read for it. */
  readonly allowAddress: (address: string) => boolean
  /** The same for a session, over all processes. */
  readonly allowSession: (id: bigint) => boolean | Promise<boolean>
}

/** The cookie of one kind of sessions. */
export interface SessionCookie {
  readonly name: string
  /** The path of the pages that it is for. */
  readonly path: string
}

export interface PortalGuard<Session extends OpenSession> {
  /** The open session; counts the request. */
  session(request: FastifyRequest): Promise<Session>
  /** Null if no user is signed in; counts nothing. */
  findSession(request: FastifyRequest): Promise<Session | null>
  assertFromHere(request: FastifyRequest): void
  assertToken(request: FastifyRequest, session: OpenSession): void
  setCookie(request: FastifyRequest, reply: FastifyReply, token: string): void
  clearCookie(request: FastifyRequest, reply: FastifyReply): void
}

export const PORTAL_COOKIE: SessionCookie = { name: 'tollgate_portal', path: '/portal' }

/**
 * Over HTTPS the cookie has the prefix `__Host-`: browsers take it from this very host only. So no
 * other host of the domain can put a session of its own into a user's browser. It requires the path
 * `/`; the other addresses of the gateway read no cookie. Plain HTTP cannot have it.
 */
function cookieOf({ protocol }: FastifyRequest, { name, path }: SessionCookie) {
  const secure = protocol === 'https'
  return {
    name: secure ? `__Host-${name}` : name,
    options: { path: secure ? '/' : path, httpOnly: true, sameSite: 'strict', secure } as const,
  }
}

/**
 * The checks that come before every answer: where the request comes from, whose session it is, and
 * how many came.
 */
export function createPortalGuard<Session extends OpenSession>(
  deps: PortalGuardDeps<Session>,
): PortalGuard<Session> {
  const { sessions, cookie } = deps

  async function findSession(request: FastifyRequest): Promise<Session | null> {
    const token = request.cookies[cookieOf(request, cookie).name]
    if (token === undefined) return null
    // Pages mark requests without user activity: such requests keep no session open.
    return sessions.find(token, request.headers['x-portal-background'] === undefined)
  }

  return {
    findSession,

    async session(request) {
      const session = await findSession(request)
      if (session === null) throw signedOut()
      if (!(await deps.allowSession(session.id))) throw tooMany()
      return session
    },

    assertFromHere(request) {
      if (!deps.allowAddress(clientAddress(request))) throw tooMany()
      // Browsers say where a request comes from; those that do not are old, or no browsers.
      const { origin } = request.headers
      const site = request.headers['sec-fetch-site']
      const isTyped = request.method === 'GET' && site === 'none'
      const isForeign = site !== undefined && site !== 'same-origin' && !isTyped
      if (isForeign || (origin !== undefined && !isOwnOrigin(origin, request, deps.publicOrigin))) {
        throw new PortalFault(403, 'foreign_page', 'The request does not come from the portal.')
      }
    },

    assertToken(request, { csrfToken }) {
      const sent = request.headers['x-csrf-token']
      if (typeof sent === 'string' && isSame(sent, csrfToken)) return
      throw new PortalFault(403, 'csrf', 'The page is out of date. Nothing was done. Try again.')
    },

    setCookie(request, reply, token) {
      const { name, options } = cookieOf(request, cookie)
      void reply.setCookie(name, token, options)
    },

    clearCookie(request, reply) {
      const { name, options } = cookieOf(request, cookie)
      void reply.clearCookie(name, options)
    },
  }
}

/** For a request without a session that is open. */
export function signedOut(): PortalFault {
  return new PortalFault(401, 'signed_out', 'You are signed out. Sign in again to continue.')
}

function tooMany(): PortalFault {
  return new PortalFault(429, 'too_many', 'Too many requests at once. Wait a moment and try again.')
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
