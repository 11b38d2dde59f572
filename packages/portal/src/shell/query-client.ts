import { QueryCache, QueryClient, MutationCache } from '@tanstack/react-query'
import { ApiFault, isOut, whenSignedOut } from './api.ts'

/**
 * A user who is signed out meanwhile is asked to sign in again, and stays on the page with the
 * typed text.
 */
function onFault(error: unknown): void {
  // Another window may have signed in again, and this one holds the token of a session that is
  // over.
  if (isOut(error) || (error instanceof ApiFault && error.code === 'csrf')) shouldRetry()
}

function shouldRetry(): void {
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
      // A refusal would be repeated; only a request without a response is worth a retry.
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiFault && (error.status === 0 || error.status === 503),
    },
  },
})

whenSignedOut(shouldRetry)

/**
 * After an operation that moves money, memberships or time, the visible data are read again. The
 * data of other pages (the customer, the batch, the figures of the home page) count as old.
 */
export function everythingChanged(): Promise<void> {
  return queryClient.invalidateQueries({
    predicate: ({ queryKey: [what] }) => what !== 'session' && what !== 'terminal',
  })
}
