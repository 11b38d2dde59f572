import { useNavigate } from '@tanstack/react-router'
import type { ListAnswer } from '@tollgate/portal-contract/answers/orders'
import type { ListName } from '@tollgate/portal-contract/order-columns'
import { useEffect } from 'react'
import type { ListSearch } from './list-search.ts'

/** Kinds of which each value belongs to one order. */
const EXACT_KINDS: ReadonlySet<string> = new Set(['order', 'transaction', 'request', 'token'])

/** The order whose id was searched for; null where a list is the better answer. */
function exactlyMeant({
  readings,
  rows,
}: Pick<ListAnswer, 'readings'> & { readonly rows: ListAnswer['rows'] | undefined }):
  | string
  | null {
  const order = readings.find(({ reading, found }) => reading.kind === 'order' && found === 1)
  if (order !== undefined) return order.reading.value
  const [row, ...others] = rows ?? []
  if (row === undefined || others.length > 0) return null
  const isExact = readings.some(
    ({ reading: { kind, value }, found }) =>
      found === 1 && (EXACT_KINDS.has(kind) || (kind === 'reference' && row.reference === value)),
  )
  return isExact ? row.orderId : null
}

/** Opens the order whose exact id was searched for, if the search is not narrowed by filters. */
export function useExactOrder(
  list: ListName,
  search: ListSearch,
  page: Parameters<typeof exactlyMeant>[0] & { readonly next: string | null },
): void {
  const navigate = useNavigate()
  const isAlone = Object.keys(search).every((name) => ['q', 'site', 'cols'].includes(name))
  const orderId = list === 'orders' && isAlone && page.next === null ? exactlyMeant(page) : null
  useEffect(() => {
    // In place of the list, so that going back leads to the page before the search.
    if (orderId !== null)
      void navigate({ to: '/orders/$orderId', params: { orderId }, replace: true })
  }, [orderId, navigate])
}
