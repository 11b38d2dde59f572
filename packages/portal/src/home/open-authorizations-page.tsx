import { Anchor, Badge, Button, Center, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { OpenAuthorization, OpenAuthorizationPage } from '@tollgate/gateway/portal-api-home'
import { Amount } from '../parts/amount.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { When } from '../parts/when.tsx'
import { useSession } from '../session/session.ts'
import { useSiteChoice } from '../session/site.ts'
import { api, queryText } from '../shell/api.ts'

const DAY_MS = 86_400_000
const SOON_MS = 3 * DAY_MS

/** Authorizations with something left to capture, the one that expires first on top. */
export function OpenAuthorizationsPage() {
  const { siteId } = useSiteChoice()
  const { sites } = useSession()
  const list = useInfiniteQuery({
    queryKey: ['open-authorizations', siteId],
    queryFn: ({ pageParam, signal }) =>
      api.get<OpenAuthorizationPage>(
        `/open-authorizations${queryText({ site: siteId, after: pageParam?.expiresAt, afterOrder: pageParam?.orderId })}`,
        signal,
      ),
    initialPageParam: null as OpenAuthorizationPage['next'],
    getNextPageParam: ({ next }) => next,
  })
  const now = Date.parse(list.data?.pages[0]?.now ?? new Date().toISOString())
  const columns: readonly Column<OpenAuthorization>[] = [
    { key: 'order', title: 'Order', cell: (row) => <Anchor component={Link} to={`/orders/${row.orderId}`} size="sm">{row.orderId}</Anchor> },
    { key: 'reference', title: 'Your order', cell: (row) => row.reference || <Text span c="dimmed">–</Text> },
    ...(siteId === null && sites.length > 1
      ? [{ key: 'site', title: 'Site', cell: (row: OpenAuthorization) => sites.find(({ id }) => id === row.siteId)?.name ?? row.siteId }]
      : []),
    { key: 'card', title: 'Card', cell: (row) => `${row.brand} ${row.last4}` },
    { key: 'authorized', title: 'Authorized', align: 'right', cell: (row) => <Amount minor={row.authorizedMinor} currency={row.currency} /> },
    { key: 'captured', title: 'Captured', align: 'right', cell: (row) => <Amount minor={row.capturedMinor} currency={row.currency} dimmed /> },
    { key: 'left', title: 'Left to capture', align: 'right', cell: (row) => <Amount minor={row.leftMinor} currency={row.currency} /> },
    { key: 'age', title: 'Age', align: 'right', cell: (row) => spanText(now - Date.parse(row.authorizedAt)) },
    { key: 'at', title: 'Expires', cell: (row) => <When at={row.expiresAt} /> },
    {
      key: 'in',
      title: 'Expires in',
      align: 'right',
      cell: (row) => {
        const left = Date.parse(row.expiresAt) - now
        return left <= SOON_MS ? <Badge color="orange">{spanText(left)}</Badge> : spanText(left)
      },
    },
  ]
  return (
    <Page title="Open authorizations" text="What is not captured in time is given back to the card by itself.">
      {list.error !== null ? (
        <Fault error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <DataTable
          label="Open authorizations"
          columns={columns}
          rows={list.data?.pages.flatMap(({ authorizations }) => authorizations)}
          keyOf={(row) => row.orderId}
          empty={<EmptyState title="Nothing is open" text="Every authorization was captured, voided or given back. New ones are listed here until they are." />}
        />
      )}
      {list.hasNextPage && (
        <Center>
          <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>Show more</Button>
        </Center>
      )}
    </Page>
  )
}

/** `4 days`, `7 h`, `12 min`: one unit is enough to know what to do first. */
function spanText(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.floor(ms / DAY_MS)} days`
  if (ms >= 3_600_000) return `${Math.floor(ms / 3_600_000)} h`
  return `${Math.max(0, Math.floor(ms / 60_000))} min`
}
