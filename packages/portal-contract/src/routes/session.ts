import type { Invitation } from '../answers/portal-users.ts'
import type { SecondsLeft, SessionView, UnfinishedView } from '../answers/shell.ts'
import { get, post, remove, type Done } from '../route.ts'

/**
 * Signing in and out. These routes check for themselves who may call them, and when: most of their
 * callers are not signed in. `View`: what the pages show first.
 */
export function sessionTable<View>() {
  return {
    signIn: post('/session', null).answers<
      View | UnfinishedView,
      { body: { readonly email: string; readonly password: string } }
    >(),
    giveCode: post('/session/code', null).answers<
      View | UnfinishedView,
      { body: { readonly code: string } }
    >(),
    read: get('/session', null).answers<View | UnfinishedView>(),
    /** How long the session stays open. */
    left: get('/session/left', null).answers<SecondsLeft>(),
    signOut: remove('/session', null).answers<Done>(),
    lookAtInvitation: post('/invitation/look', null).answers<
      Invitation,
      { body: { readonly token: string } }
    >(),
    takeInvitation: post('/invitation', null).answers<
      View | UnfinishedView,
      { body: { readonly token: string; readonly name: string; readonly newPassword: string } }
    >(),
  }
}

/** Signing in and out of the portal. */
export const session = sessionTable<SessionView>()
