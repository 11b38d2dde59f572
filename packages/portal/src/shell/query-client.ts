import { QueryCache, QueryClient, MutationCache } from '@tanstack/react-query'
import { ApiFault, isOut, whenSignedOut } from './api.ts'

/**
 * Whoever is signed out meanwhile is asked to sign in again, and stays on the page with what was
 * typed.
 */
function onFault(error: unknown): void {
  // Another window may have signed in anew, and this one holds the token of a session that is over.
  if (isOut(error) || (error instanceof ApiFault && error.code === 'csrf')) askAgain()
}

function askAgain(): void {
  void queryClient.invalidateQueries({ queryKey: ['session'] })
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => query.queryKey[0] === 'session' || onFault(error),
  }),
  mutationCache: new MutationCache({ onError: onFault }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // What was refused is refused again; only what was not answered is worth another try.
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiFault && (error.status === 0 || error.status === 503),
    },
  },
})

whenSignedOut(askAgain)

/**
 * After an act that moves money, memberships or time: what is shown is read again, and what other
 * pages keep (the customer, the batch, the figures of the home page) counts as old.
 */
export function everythingChanged(): Promise<void> {
  return queryClient.invalidateQueries({
    predicate: ({ queryKey: [what] }) => what !== 'session' && what !== 'terminal',
  })
}
