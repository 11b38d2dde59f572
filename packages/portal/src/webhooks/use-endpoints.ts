import { useQuery } from '@tanstack/react-query'
import * as routes from '@tollgate/portal-contract/routes'
import { call } from '../shell/api.ts'
import { queryClient } from '../shell/query-client.ts'

const REFRESH_MS = 30_000

/** The endpoints of all sites. Their state changes with each attempt, so they are read again. */
export function useEndpoints(enabled = true) {
  return useQuery({
    queryKey: ['webhooks', 'endpoints'],
    queryFn: ({ signal }) => call(routes.webhooks.list, { signal }),
    refetchInterval: REFRESH_MS,
    enabled,
  })
}

/** After a change: endpoints and deliveries are read again. */
export function webhooksChanged(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['webhooks'] })
}
