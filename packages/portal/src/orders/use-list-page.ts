import { useInfiniteQuery } from '@tanstack/react-query'
import type { ListName } from '@tollgate/portal-contract/order-columns'
import * as routes from '@tollgate/portal-contract/routes'
import type { ListQuery } from '@tollgate/portal-contract/routes/orders'
import { useEffect, useState } from 'react'
import { call } from '../shell/api.ts'

const PAGE = 50
/** After so many responses without a full page, the user is asked whether to continue. */
const ANSWERS_AT_ONCE = 20

/** One page of rows. Rare rows are searched in several responses, of which each is quick. */
export function useListPage(list: ListName, listQuery: ListQuery, after: string | null) {
  const query = JSON.stringify(listQuery)
  // The number of responses after which it waits for the user.
  const [allowed, setAllowed] = useState(ANSWERS_AT_ONCE)
  const answers = useInfiniteQuery({
    queryKey: [list, 'page', query, after],
    queryFn: ({ signal, pageParam }) =>
      call(routes.orders.lists[list].page, { query: { ...listQuery, after: pageParam }, signal }),
    initialPageParam: after,
    getNextPageParam: ({ next }) => next,
  })
  const { data, fetchNextPage, isFetchingNextPage, isFetching } = answers
  const pages = data?.pages ?? []
  const rows = data === undefined ? undefined : pages.flatMap((page) => page.rows)
  const last = pages.at(-1)
  const isShort =
    last !== undefined &&
    last.next !== null &&
    last.lookedUntil !== null &&
    (rows?.length ?? 0) < PAGE
  const isStopped = pages.length >= allowed
  useEffect(() => setAllowed(ANSWERS_AT_ONCE), [query, after])
  useEffect(() => {
    if (isShort && !isStopped && !isFetching) void fetchNextPage()
  }, [isShort, isStopped, isFetching, fetchNextPage])
  return {
    rows,
    error: answers.error,
    retry: () => void answers.refetch(),
    readings: pages[0]?.readings ?? [],
    next: last?.next ?? null,
    lookedUntil: isShort || isFetchingNextPage ? (last?.lookedUntil ?? null) : null,
    isLooking: isShort && !isStopped,
    isStopped: isShort && isStopped,
    stop: () => setAllowed(pages.length),
    goOn: () => setAllowed(pages.length + ANSWERS_AT_ONCE),
  }
}
