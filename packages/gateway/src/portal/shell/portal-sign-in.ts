import type { UnfinishedView } from '@tollgate/portal-contract/answers/shell'
import type { sessionTable } from '@tollgate/portal-contract/routes/session'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Result } from '../../base/refusal.ts'
import { Secret } from '../../base/secret.ts'
import { clientAddress } from '../../http/servers/client-address.ts'
import { signedOut, type PortalGuard } from './portal-guard.ts'
import { orFault, PortalFault, type Sendable } from './portal-route.ts'
import { signInRoute, type SignInRoute } from './sign-in-route.ts'
import type { Invitations } from './usecases/invitations.ts'
import type { OpenSession, Whence } from './usecases/portal-user.ts'

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

/** Signing in, and the sessions that come of it, for users of one kind. */
export interface SignInSessions<Session extends OpenSession, View> {
  /** The new cookie's value. */
  signIn(email: string, password: Secret, from: Whence): Promise<Result<{ readonly token: string }>>
  /** Gives another cookie's value. */
  giveCode(
    session: Session,
    code: string,
    address: string,
  ): Promise<Result<{ readonly token: string }>>
  find(token: string, isSeen: boolean): Promise<Session | null>
  /** The first data of the pages; each kind of users has its own. */
  view(session: Session): Promise<Sendable<NoInfer<View | UnfinishedView>>>
  signOut(session: Session, address: string): Promise<void>
}

/** Routes for a caller who is not signed in, or is about to be. */
export function portalSignIn<Session extends OpenSession, View>(deps: {
  readonly table: ReturnType<typeof sessionTable<View>>
  readonly sessions: SignInSessions<Session, View>
  readonly invitations: Invitations
  readonly guard: PortalGuard<Session>
}): readonly SignInRoute[] {
  const { table, sessions, invitations, guard } = deps

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
    signInRoute(table.signIn, {
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
    signInRoute(table.giveCode, {
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
    signInRoute(table.read, {
      handle: async ({ request }) => sessions.view(await guard.session(request)),
    }),
    // Asked in the background to know when to warn, and by a user who wants to stay.
    signInRoute(table.left, {
      handle: async ({ request }) => (await guard.session(request)).secondsLeft,
    }),
    signInRoute(table.signOut, {
      async handle({ request, reply }) {
        const session = await guard.session(request)
        guard.assertToken(request, session)
        await sessions.signOut(session, clientAddress(request))
        guard.clearCookie(request, reply)
        return { done: true }
      },
    }),
    signInRoute(table.lookAtInvitation, {
      body: LINK,
      handle: async ({ body }) => orFault(await invitations.look(body().token)).invitation,
    }),
    signInRoute(table.takeInvitation, {
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
