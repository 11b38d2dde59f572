import { Badge, Button, Checkbox, Group, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import type { OpenAuthorization } from '@tollgate/portal-contract/answers/home'
import { useState } from 'react'
import { Amount } from '../parts/amount.tsx'
import { cardText } from '../parts/card-text.ts'
import { Cut } from '../parts/cut.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { When } from '../parts/when.tsx'
import { useMay, useSession } from '../session/session.ts'
import { useSiteChoice } from '../session/site.ts'
import { ManyDialog } from './many-dialog.tsx'
import { useOpenAuthorizations } from './use-open-authorizations.ts'

const DAY_MS = 86_400_000
const SOON_MS = 3 * DAY_MS

/** Authorizations with something left to capture, the one that expires first on top. */
export function OpenAuthorizationsPage() {
  const { siteId } = useSiteChoice()
  const { sites } = useSession()
  const { soon } = useSearch({ from: '/open-authorizations' })
  const list = useOpenAuthorizations(siteId, soon)
  const rows = list.data?.pages.flatMap(({ authorizations }) => authorizations)
  const mayCapture = useMay('orders.capture')
  const mayVoid = useMay('orders.void')
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const [many, setMany] = useState<'capture' | 'void' | null>(null)
  const chosen = rows?.filter(({ orderId }) => ticked.has(orderId)) ?? []
  const tick = (orderId: string, isTicked: boolean): void => {
    const next = new Set(ticked)
    if (isTicked) next.add(orderId)
    else next.delete(orderId)
    setTicked(next)
  }
  const [openedAt] = useState(Date.now)
  const firstPage = list.data?.pages[0]
  const now = firstPage === undefined ? openedAt : Date.parse(firstPage.now)
  const columns: readonly Column<OpenAuthorization>[] = [
    ...(mayCapture || mayVoid
      ? [
          {
            key: 'tick',
            title: '',
            cell: (row: OpenAuthorization) => (
              <Checkbox
                size="xs"
                aria-label={`Select order ${row.orderId}`}
                checked={ticked.has(row.orderId)}
                onChange={(event) => tick(row.orderId, event.currentTarget.checked)}
              />
            ),
          },
        ]
      : []),
    {
      key: 'order',
      title: 'Order',
      cell: (row) => (
        <LinkAnchor to="/orders/$orderId" params={{ orderId: row.orderId }} size="sm">
          {row.orderId}
        </LinkAnchor>
      ),
    },
    {
      key: 'reference',
      title: 'Your order id',
      cell: (row) =>
        row.reference === '' ? (
          <Text span inherit c="dimmed">
            –
          </Text>
        ) : (
          <Cut text={row.reference} max={150} />
        ),
    },
    ...(siteId === null && sites.length > 1
      ? [
          {
            key: 'site',
            title: 'Site',
            cell: (row: OpenAuthorization) => (
              <Text span inherit style={{ whiteSpace: 'nowrap' }}>
                {sites.find(({ id }) => id === row.siteId)?.name ?? row.siteId}
              </Text>
            ),
          },
        ]
      : []),
    {
      key: 'card',
      title: 'Card',
      cell: (row) => (
        <Text span inherit style={{ whiteSpace: 'nowrap' }}>
          {cardText(row)}
        </Text>
      ),
    },
    {
      key: 'left',
      title: 'Left to capture',
      align: 'right',
      cell: (row) => (
        <>
          <Amount minor={row.leftMinor} currency={row.currency} />
          {row.leftMinor !== row.authorizedMinor && (
            <Text size="xs" c="dimmed">
              of <Amount minor={row.authorizedMinor} currency={row.currency} />
            </Text>
          )}
        </>
      ),
    },
    { key: 'at', title: 'Expires', cell: (row) => <When at={row.expiresAt} /> },
    {
      key: 'in',
      title: 'Expires in',
      align: 'right',
      cell: (row) => {
        const left = Date.parse(row.expiresAt) - now
        return left <= SOON_MS ? (
          <Badge color="orange">{spanText(left)}</Badge>
        ) : (
          <Text span inherit style={{ whiteSpace: 'nowrap' }}>
            {spanText(left)}
          </Text>
        )
      },
    },
  ]
  return (
    <Page
      title="Open authorizations"
      text={<Explanation soon={soon === true} />}
      actions={
        (mayCapture || mayVoid) &&
        rows !== undefined &&
        rows.length > 0 && (
          <Group gap="xs">
            <Button
              variant="default"
              onClick={() =>
                setTicked(
                  chosen.length === rows.length
                    ? new Set()
                    : new Set(rows.map(({ orderId }) => orderId)),
                )
              }
            >
              {chosen.length === rows.length ? 'Clear selection' : 'Select all'}
            </Button>
            {mayVoid && (
              <Button
                variant="default"
                disabled={chosen.length === 0}
                onClick={() => setMany('void')}
              >
                Void {chosen.length > 0 && chosen.length}
              </Button>
            )}
            {mayCapture && (
              <Button disabled={chosen.length === 0} onClick={() => setMany('capture')}>
                Capture {chosen.length > 0 && chosen.length}
              </Button>
            )}
          </Group>
        )
      }
    >
      {many !== null && (
        <ManyDialog
          does={many}
          chosen={chosen}
          onClose={() => {
            setMany(null)
          }}
        />
      )}
      {list.error !== null ? (
        <Fault error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <DataTable
          label="Open authorizations"
          columns={columns}
          rows={rows}
          keyOf={(row) => row.orderId}
          empty={
            <EmptyState
              title="No open authorizations"
              text="Every authorization is captured, voided or expired. New authorizations appear here."
            />
          }
        />
      )}
      <Pager
        label="open authorizations"
        nextLabel="Show more"
        isLoading={list.isFetchingNextPage}
        onNext={list.hasNextPage ? () => void list.fetchNextPage() : null}
      />
    </Page>
  )
}

function Explanation({ soon }: { readonly soon: boolean }) {
  if (!soon)
    return 'Authorizations that are not captured in time expire, and their amounts are released.'
  return (
    <>
      Authorizations that expire within the next 3 days.{' '}
      <LinkAnchor to="/open-authorizations" size="sm" underline="always">
        Show all open authorizations
      </LinkAnchor>
    </>
  )
}

/** `4 days`, `7 h`, `12 min`: one unit is enough to know what to do first. */
function spanText(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.floor(ms / DAY_MS)} days`
  if (ms >= 3_600_000) return `${Math.floor(ms / 3_600_000)} h`
  return `${Math.max(0, Math.floor(ms / 60_000))} min`
}
