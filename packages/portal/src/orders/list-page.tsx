import { Button, Loader } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ListSettings } from '@tollgate/portal-contract/answers/orders'
import {
  DEFAULT_COLUMNS,
  readColumns,
  type ColumnKey,
  type ListName,
} from '@tollgate/portal-contract/order-columns'
import * as routes from '@tollgate/portal-contract/routes'
import { isRefusedSearch } from '@tollgate/portal-contract/search-words'
import { useEffect, useState } from 'react'
import { DataTable } from '../parts/data-table.tsx'
import { showFault } from '../parts/done.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { timeText } from '../parts/when.tsx'
import { useMay, useSession } from '../session/session.ts'
import { useSiteChoice } from '../session/site.ts'
import { call, fileAddress } from '../shell/api.ts'
import { ColumnsMenu } from './columns-menu.tsx'
import { Download } from './download.tsx'
import { useExactOrder } from './exact-order.ts'
import { FilterBar } from './filter-bar.tsx'
import { filtersOf } from './filters.ts'
import { listColumns } from './list-columns.tsx'
import { useListSearch } from './list-search.ts'
import { SearchBox } from './search-box.tsx'
import { Totals } from './totals.tsx'
import { Understood } from './understood.tsx'
import { useListPage } from './use-list-page.ts'
import { ViewsMenu } from './views-menu.tsx'

const TITLES = { orders: 'Orders', transactions: 'Transactions' } as const

/** The list of orders or of transactions: searched, narrowed down, added up, and downloaded. */
export function ListPage({ list }: { readonly list: ListName }) {
  const session = useSession()
  const mayExport = useMay('orders.export')
  const mayTake = useMay('terminal.use')
  const { siteId } = useSiteChoice()
  const { search: given, change, replaceAll } = useListSearch(list)
  const navigate = useNavigate()
  const [refused, setRefused] = useState(false)

  // The opened address has a card number in it: it goes no further, and out of the address.
  const holdsNumber = isRefusedSearch(given.q ?? '')
  const search = holdsNumber ? {} : given
  useEffect(() => {
    if (!holdsNumber) return
    setRefused(true)
    change({ q: null }, true)
  }, [holdsNumber, change])

  const settings = useQuery({
    queryKey: [list, 'settings'],
    queryFn: ({ signal }) => call(routes.orders.settings, { path: { list }, signal }),
    staleTime: 60_000,
  })
  const columns = readColumns(list, search.cols) ?? settings.data?.columns ?? DEFAULT_COLUMNS[list]
  const choose = useChosenColumns(list, search.cols === undefined ? null : change)

  const { after, cols: _, ...filter } = search
  const query = { ...filter, site: search.site ?? siteId ?? undefined }
  const page = useListPage(list, query, after ?? null)
  const { sort: __, ...summed } = query

  const filters = filtersOf(list, session, settings.data?.choices)
  const isNarrowed = Object.keys(filter).some((name) => name !== 'sort')
  const open = ({ orderId }: { readonly orderId: string }): void =>
    void navigate({ to: '/orders/$orderId', params: { orderId } })
  useExactOrder(list, given, page)

  return (
    <Page
      title={TITLES[list]}
      actions={
        <>
          <ViewsMenu
            list={list}
            views={settings.data?.views ?? []}
            search={{ ...search, cols: columns.join(',') }}
            onOpen={(next) => replaceAll(next)}
          />
          <ColumnsMenu list={list} columns={columns} onChoose={choose} />
          {mayExport && (
            <Download
              address={fileAddress(routes.orders.lists[list].csv, {
                query: { ...query, cols: columns.join(',') },
              })}
            />
          )}
        </>
      }
    >
      <SearchBox
        value={search.q ?? ''}
        refused={refused}
        onSearch={(q) => {
          setRefused(false)
          change({ q })
        }}
      />
      <FilterBar
        search={search}
        change={change}
        filters={filters}
        clear={() => replaceAll(search.cols === undefined ? {} : { cols: search.cols })}
      />
      <Understood text={search.q} readings={page.readings} onChoose={(q) => change({ q })} />
      <Totals list={list} query={summed} />
      {page.error !== null ? (
        <Fault error={page.error} onRetry={page.retry} />
      ) : (
        <DataTable
          label={TITLES[list]}
          columns={listColumns(list, columns)}
          rows={page.rows}
          keyOf={({ orderId, transactionId }) => (list === 'orders' ? orderId : transactionId)}
          onOpen={open}
          sort={{ key: 'at', descending: search.sort !== 'oldest' }}
          onSort={() => change({ sort: search.sort === 'oldest' ? null : 'oldest' })}
          empty={
            page.isLooking ? null : isNarrowed || after !== undefined || siteId !== null ? (
              <EmptyState
                title="No results"
                text={`No ${list === 'orders' ? 'order' : 'transaction'} matches these filters. ${siteId === null || isNarrowed ? 'Remove a filter, or change your search.' : 'Choose another site at the top of the page, or all sites.'}`}
                action={
                  (isNarrowed || after !== undefined) && (
                    <Button variant="default" mt="xs" onClick={() => replaceAll({})}>
                      Clear all filters
                    </Button>
                  )
                }
              />
            ) : (
              <EmptyState
                title={`No ${list} yet`}
                text="Your first payment, approved or declined, will appear here."
                action={
                  mayTake && (
                    <Link className="link" to={'/terminal'}>
                      Take a payment in the virtual terminal
                    </Link>
                  )
                }
              />
            )
          }
        />
      )}
      <Pager
        label={list}
        text={
          page.lookedUntil === null
            ? ''
            : `Searched ${search.sort === 'oldest' ? 'up to' : 'back to'} ${timeText(page.lookedUntil)}.`
        }
        onFirst={after === undefined ? undefined : () => change({ after: null })}
        onNext={
          page.next === null || page.isLooking || page.isStopped
            ? null
            : () => change({ after: page.next })
        }
      >
        {page.isLooking && page.rows !== undefined && (
          <>
            <Loader size="xs" aria-label="Searching" />
            <Button variant="default" onClick={page.stop}>
              Stop searching
            </Button>
          </>
        )}
        {page.isStopped && (
          <Button variant="default" onClick={page.goOn}>
            Continue searching
          </Button>
        )}
      </Pager>
    </Page>
  )
}

/**
 * Shows the choice at once, and keeps it for the portal user; columns in the address give way to
 * it.
 */
function useChosenColumns(
  list: ListName,
  change: ((changes: { readonly cols: null }, replace: boolean) => void) | null,
) {
  const client = useQueryClient()
  return (columns: readonly ColumnKey[]): void => {
    client.setQueryData<ListSettings>([list, 'settings'], (settings) =>
      settings === undefined ? settings : { ...settings, columns },
    )
    call(routes.orders.chooseColumns, { path: { list }, body: { columns } }).catch(showFault)
    change?.({ cols: null }, true)
  }
}
