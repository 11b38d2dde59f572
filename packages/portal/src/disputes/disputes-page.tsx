import { Group, Select, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Dispute, DisputeList } from '@tollgate/portal-contract/answers/disputes'
import { brandName } from '@tollgate/portal-contract/card-brands'
import { DISPUTE_GROUP_TEXTS, DISPUTE_STATE_TEXTS } from '@tollgate/portal-contract/dispute-words'
import * as routes from '@tollgate/portal-contract/routes'
import { Amount } from '../parts/amount.tsx'
import { countText } from '../parts/count-text.ts'
import { CurrencyFilter } from '../parts/currency-filter.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Deadline } from '../parts/deadline.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { PageFiles } from '../parts/page-files.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import print from '../parts/print.module.css'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { call, fileAddress } from '../shell/api.ts'
import { BRAND_OPTIONS, isGroup, isState, type DisputeSearch } from './dispute-search.ts'
import { MonthFilter } from './month-filter.tsx'

type Filter = { readonly [Name in keyof DisputeSearch]?: DisputeSearch[Name] | undefined }

/** Disputes of the merchant: the newest, or the first day of answer, first. */
export function DisputesPage() {
  const search = useSearch({ from: '/disputes' })
  const navigate = useNavigate()
  const list = useInfiniteQuery({
    queryKey: ['disputes', 'list', search],
    queryFn: ({ pageParam, signal }) =>
      call(routes.disputes.list, { query: { ...search, after: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  const [first] = list.data?.pages ?? []
  return (
    <Page
      title="Disputes"
      text={
        <>
          Payments that cardholders or issuers dispute.{' '}
          <LinkAnchor
            to="/dispute-monitoring"
            size="sm"
            underline="always"
            className={print.unprinted}
          >
            Monitoring programmes
          </LinkAnchor>
        </>
      }
      actions={<PageFiles csv={fileAddress(routes.disputes.csv, { query: search })} />}
    >
      <Filters search={search} accounts={first?.accounts ?? []} totals={first?.totals ?? []} />
      {first !== undefined && first.totals.length > 0 && (
        <Totals totals={first.totals} search={search} />
      )}
      {list.error !== null ? (
        <Fault error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <DataTable
          label="Disputes"
          columns={COLUMNS}
          rows={list.data?.pages.flatMap(({ disputes }) => disputes)}
          keyOf={({ id }) => id}
          onOpen={({ id }) =>
            void navigate({ to: '/disputes/$disputeId', params: { disputeId: id } })
          }
          empty={
            <EmptyState
              title="No results"
              text="No dispute matches these filters. Notices of the acquirer open disputes."
            />
          }
        />
      )}
      <Pager
        label="disputes"
        nextLabel="Show more"
        isLoading={list.isFetchingNextPage}
        onNext={list.hasNextPage ? () => void list.fetchNextPage() : null}
      />
    </Page>
  )
}

const optionsOf = (words: Readonly<Record<string, string>>) => [
  { value: '', label: 'Any' },
  ...Object.entries(words).map(([value, label]) => ({ value, label })),
]

interface FiltersProps {
  readonly search: DisputeSearch
  /** The merchant accounts that have cases. */
  readonly accounts: readonly string[]
  readonly totals: DisputeList['totals']
}

function Filters({ accounts, search, totals }: FiltersProps) {
  const navigate = useNavigate()
  const go = (changes: Filter): void => {
    const next = { ...search, ...changes }
    void navigate({
      to: '/disputes',
      search: Object.fromEntries(Object.entries(next).filter(([, value]) => value)),
      replace: true,
    })
  }
  return (
    <Group gap="sm" className={print.unprinted}>
      <Select
        label="Show"
        w={150}
        data={optionsOf(DISPUTE_GROUP_TEXTS)}
        value={search.group ?? ''}
        onChange={(value) => go({ group: isGroup(value) ? value : undefined })}
        allowDeselect={false}
      />
      <Select
        label="State"
        w={170}
        data={optionsOf(DISPUTE_STATE_TEXTS)}
        value={search.state ?? ''}
        onChange={(value) => go({ state: isState(value) ? value : undefined })}
        allowDeselect={false}
      />
      <Select
        label="Card brand"
        w={170}
        data={[{ value: '', label: 'Any' }, ...BRAND_OPTIONS]}
        value={search.brand ?? ''}
        onChange={(value) => go({ brand: value === null || value === '' ? undefined : value })}
        allowDeselect={false}
      />
      {accounts.length > 1 && (
        <Select
          label="Merchant account"
          w={170}
          data={[{ value: '', label: 'Any' }, ...accounts]}
          value={search.account ?? ''}
          onChange={(value) => go({ account: value ?? undefined })}
          allowDeselect={false}
        />
      )}
      <CurrencyFilter
        chosen={search.currency}
        totals={totals}
        onChange={(currency) => go({ currency })}
      />
      <MonthFilter chosen={search.month} onChange={(month) => go({ month })} />
      <Select
        label="Sort by"
        w={150}
        data={[
          { value: '', label: 'Newest' },
          { value: 'due', label: 'Answer by' },
        ]}
        value={search.sort ?? ''}
        onChange={(value) => go({ sort: value === 'due' ? value : undefined })}
        allowDeselect={false}
      />
    </Group>
  )
}

interface TotalsProps {
  readonly totals: DisputeList['totals']
  readonly search: DisputeSearch
}

/** Each total leads to the cases of its currency. */
function Totals({ search, totals }: TotalsProps) {
  return (
    <Group gap="lg" component="section" aria-label="Totals">
      {totals.map(({ amountMinor, count, currency }) => (
        <LinkAnchor key={currency} to="/disputes" search={{ ...search, currency }} size="sm">
          {countText(count)} in {currency}: <Amount minor={amountMinor} currency={currency} />
        </LinkAnchor>
      ))}
    </Group>
  )
}

const COLUMNS: readonly Column<Dispute>[] = [
  {
    key: 'id',
    title: 'Dispute',
    cell: ({ caseId, id }) => (
      <>
        <Link className="link" to="/disputes/$disputeId" params={{ disputeId: id }} tabIndex={-1}>
          {id}
        </Link>
        <Text span size="xs" c="dimmed" display="block" style={{ whiteSpace: 'nowrap' }}>
          {caseId}
        </Text>
      </>
    ),
  },
  {
    key: 'due',
    title: 'Answer by',
    cell: ({ canAnswer, daysLeft, respondBy }) =>
      canAnswer && respondBy !== null && daysLeft !== null ? (
        <Deadline day={respondBy} daysLeft={daysLeft} />
      ) : (
        '–'
      ),
  },
  {
    key: 'state',
    title: 'State',
    cell: ({ state }) => <StatusBadge state={state} label={DISPUTE_STATE_TEXTS[state]} />,
  },
  {
    key: 'amount',
    title: 'Amount',
    align: 'right',
    cell: ({ amountMinor, currency }) => <Amount minor={amountMinor} currency={currency} />,
  },
  {
    key: 'reason',
    title: 'Reason',
    // Two lines of most reasons. Phones would make it as narrow as its longest word.
    cell: ({ reason, reasonName }) => (
      <Text span inherit display="block" miw={150}>
        {[reason, reasonName].filter(Boolean).join(' ') || '–'}
      </Text>
    ),
  },
  { key: 'brand', title: 'Brand', cell: ({ brand }) => brandName(brand) },
  { key: 'order', title: 'Order', cell: ({ orderId }) => orderId ?? '–' },
  { key: 'opened', title: 'Opened', cell: ({ openedAt }) => <When at={openedAt} dayOnly /> },
]
