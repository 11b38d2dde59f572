import type { Invitation } from '../answers/portal-users.ts'
import type { SecondsLeft, SessionView, UnfinishedView } from '../answers/shell.ts'
import { get, post, remove, type Done } from '../route.ts'

type SessionAnswer = SessionView | UnfinishedView

/**
 * Signing in and out. These routes check for themselves who may call them, and when: most of their
 * callers are not signed in.
 */
export const session = {
  signIn: post('/session', null).answers<
    SessionAnswer,
    { body: { readonly email: string; readonly password: string } }
  >(),
  giveCode: post('/session/code', null).answers<
    SessionAnswer,
    { body: { readonly code: string } }
  >(),
  read: get('/session', null).answers<SessionAnswer>(),
  /** How long the session stays open. */
  left: get('/session/left', null).answers<SecondsLeft>(),
  signOut: remove('/session', null).answers<Done>(),
  lookAtInvitation: post('/invitation/look', null).answers<
    Invitation,
    { body: { readonly token: string } }
  >(),
  takeInvitation: post('/invitation', null).answers<
    SessionAnswer,
    { body: { readonly token: string; readonly name: string; readonly newPassword: string } }
  >(),
}
