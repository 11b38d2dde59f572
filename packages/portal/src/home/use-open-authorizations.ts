import { useInfiniteQuery } from '@tanstack/react-query'
import type { OpenAuthorizationPage } from '@tollgate/portal-contract/answers/home'
import * as routes from '@tollgate/portal-contract/routes'
import { call } from '../shell/api.ts'

/** Open authorizations page by page; `soon`: those that expire within three days. */
export function useOpenAuthorizations(siteId: string | null, soon: true | undefined) {
  return useInfiniteQuery({
    queryKey: ['open-authorizations', siteId, soon],
    queryFn: ({ pageParam, signal }) =>
      call(routes.home.openAuthorizations, {
        query: {
          site: siteId,
          soon: soon === true ? 'true' : undefined,
          after: pageParam?.expiresAt,
          afterOrder: pageParam?.orderId,
        },
        signal,
      }),
    initialPageParam: null as OpenAuthorizationPage['next'],
    getNextPageParam: ({ next }) => next,
  })
}
