import { useQuery } from '@tanstack/react-query'
import type { ConsoleSessionView } from '@tollgate/portal-contract/answers/console'
import type { ConsoleRight } from '@tollgate/portal-contract/console-rights'
import { consoleSession } from '@tollgate/portal-contract/routes/console'
import { createContext, useContext } from 'react'
import { call, sendToken } from '../shell/api.ts'

/** The signed-in operator, or one with a step left; the key is that of the shared sign-in. */
export function useConsoleSessionQuery() {
  return useQuery({
    queryKey: ['session'],
    queryFn: async ({ signal }) => {
      const session = await call(consoleSession.read, { signal })
      sendToken(session.csrfToken)
      return session
    },
    staleTime: Infinity,
  })
}

export const ConsoleSessionContext = createContext<ConsoleSessionView | null>(null)

/** The signed-in operator, on every page behind the sign-in. */
export function useConsoleSession(): ConsoleSessionView {
  const session = useContext(ConsoleSessionContext)
  if (session === null) throw new Error('A page was shown without a signed-in operator.')
  return session
}

/** Whether the operator may do it; the gateway judges the same again. */
export function useMayOperate(right: ConsoleRight): boolean {
  return useConsoleSession().rights.includes(right)
}
