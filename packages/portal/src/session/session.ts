import { useQuery } from '@tanstack/react-query'
import type { SessionView, UnfinishedView } from '@tollgate/portal-contract/answers/shell'
import type { Right } from '@tollgate/portal-contract/rights'
import * as routes from '@tollgate/portal-contract/routes'
import { createContext, useContext } from 'react'
import { call, ApiFault, sendToken } from '../shell/api.ts'

/** The gateway's session response: a signed-in user, or a user with a step left. */
export type SessionAnswer = SessionView | UnfinishedView

/** The signed-in user; asked of the gateway once, and again after a response without a user. */
export function useSessionQuery() {
  return useQuery({
    queryKey: ['session'],
    queryFn: async ({ signal }) => {
      const session = await call(routes.session.read, { signal })
      sendToken(session.csrfToken)
      return session
    },
    staleTime: Infinity,
  })
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiFault && error.code === 'signed_out'
}

export const SessionContext = createContext<SessionView | null>(null)

/** The signed-in user, on every page behind the sign-in. */
export function useSession(): SessionView {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('A page was shown without a signed-in user.')
  return session
}

/** Whether the portal user may do it; the gateway judges the same again. */
export function useMay(right: Right): boolean {
  return useSession().rights.includes(right)
}
