import * as routes from '@tollgate/portal-contract/routes'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Secret } from '../../base/secret.ts'
import { clientAddress } from '../../http/servers/client-address.ts'
import { signedOut, type PortalGuard } from './portal-guard.ts'
import { orFault, PortalFault } from './portal-route.ts'
import { signInRoute, type SignInRoute } from './sign-in-route.ts'
import type { Invitations } from './usecases/invitations.ts'
import type { Whence } from './usecases/portal-user.ts'
import type { PortalSessions } from './usecases/sessions.ts'

const PASSWORD = z
  .string()
  .min(1)
  .max(1024)
  .transform((text) => new Secret(text))
const CREDENTIALS = z.strictObject({ email: z.string().max(254), password: PASSWORD })
const CODE = z.strictObject({ code: z.string().trim().min(6).max(40) })
const LINK = z.strictObject({ token: z.string().max(100) })
const TAKEN = z.strictObject({
  token: z.string().max(100),
  name: z.string().trim().min(1).max(100),
  newPassword: PASSWORD,
})

/** Routes for a caller who is not signed in, or is about to be. */
export function portalSignIn(deps: {
  readonly sessions: PortalSessions
  readonly invitations: Invitations
  readonly guard: PortalGuard
}): readonly SignInRoute[] {
  const { sessions, invitations, guard } = deps

  /** Sets the cookie of a session that has just started or was raised, and returns its view. */
  async function letIn(request: FastifyRequest, reply: FastifyReply, token: string) {
    guard.setCookie(request, reply, token)
    const session = await sessions.find(token, true)
    if (session === null) throw signedOut()
    return sessions.view(session)
  }

  /** The cookie is about to be replaced, and no request could end that session any more. */
  async function endPresent(request: FastifyRequest): Promise<void> {
    const present = await guard.findSession(request)
    if (present !== null) await sessions.signOut(present, clientAddress(request))
  }

  return [
    signInRoute(routes.session.signIn, {
      body: CREDENTIALS,
      async handle({ request, reply, body }) {
        const { email, password } = body()
        const answer = await sessions.signIn(email, password, whence(request))
        if (!answer.ok && answer.code === 'wrong_password') {
          throw new PortalFault(401, 'sign_in_refused', answer.faults.join(' '))
        }
        const { token } = orFault(answer)
        await endPresent(request)
        return letIn(request, reply, token)
      },
    }),
    signInRoute(routes.session.giveCode, {
      body: CODE,
      async handle({ request, reply, body }) {
        const session = await guard.session(request)
        guard.assertToken(request, session)
        if (session.next !== 'code')
          throw new PortalFault(409, 'conflict', 'No code is expected. Sign in again.')
        const { code } = body()
        const { token } = orFault(await sessions.giveCode(session, code, clientAddress(request)))
        return letIn(request, reply, token)
      },
    }),
    signInRoute(routes.session.read, {
      handle: async ({ request }) => sessions.view(await guard.session(request)),
    }),
    // Asked in the background to know when to warn, and by a user who wants to stay.
    signInRoute(routes.session.left, {
      handle: async ({ request }) => (await guard.session(request)).secondsLeft,
    }),
    signInRoute(routes.session.signOut, {
      async handle({ request, reply }) {
        const session = await guard.session(request)
        guard.assertToken(request, session)
        await sessions.signOut(session, clientAddress(request))
        guard.clearCookie(request, reply)
        return { done: true }
      },
    }),
    signInRoute(routes.session.lookAtInvitation, {
      body: LINK,
      handle: async ({ body }) => orFault(await invitations.look(body().token)).invitation,
    }),
    signInRoute(routes.session.takeInvitation, {
      body: TAKEN,
      async handle({ request, reply, body }) {
        const { token, name, newPassword } = body()
        const taken = orFault(
          await invitations.take(token, { name, password: newPassword }, whence(request)),
        )
        await endPresent(request)
        return letIn(request, reply, taken.token)
      },
    }),
  ]
}

function whence(request: FastifyRequest): Whence {
  return { address: clientAddress(request), browser: request.headers['user-agent'] ?? '' }
}
