import { useQuery } from '@tanstack/react-query'
import type { OrderPage } from '@tollgate/portal-contract/answers/order'
import * as routes from '@tollgate/portal-contract/routes'
import { call } from '../shell/api.ts'

/** One order with everything that is known of it; looked at again while something is under way. */
export function useOrder(orderId: string) {
  return useQuery({
    queryKey: ['order', orderId],
    queryFn: ({ signal }) => call(routes.order.page, { path: { id: orderId }, signal }),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && isMoving(data) ? 2_000 : false,
  })
}

function isMoving({ state, timeline }: OrderPage): boolean {
  return (
    state === 'running' ||
    timeline.some(
      (event) =>
        event.state === 'queued' || (event.kind === 'portal_user' && event.state === 'running'),
    )
  )
}
