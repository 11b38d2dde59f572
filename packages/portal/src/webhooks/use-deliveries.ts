import { useInfiniteQuery } from '@tanstack/react-query'
import * as routes from '@tollgate/portal-contract/routes'
import { useSiteChoice } from '../session/site.ts'
import { call } from '../shell/api.ts'
import type { DeliverySearch } from './delivery-search.ts'

const REFRESH_MS = 10_000

/** Deliveries that match the filters, of the site in the head of the page or of all. */
export function useDeliveries(search: DeliverySearch) {
  const site = useSiteChoice().siteId
  return useInfiniteQuery({
    queryKey: ['webhooks', 'deliveries', search, site],
    queryFn: ({ pageParam, signal }) =>
      call(routes.webhooks.deliveries, {
        query: {
          ...search,
          // An endpoint has one site, whichever is chosen.
          site: search.endpoint === undefined ? site : null,
          after: pageParam,
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: REFRESH_MS,
  })
}
