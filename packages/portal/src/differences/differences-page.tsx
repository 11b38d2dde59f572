import { Group, Select } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type {
  SettlementDifference,
  SettlementDifferenceList,
} from '@tollgate/portal-contract/answers/differences'
import { DIFFERENCE_TEXTS } from '@tollgate/portal-contract/difference-words'
import * as routes from '@tollgate/portal-contract/routes'
import { Amount } from '../parts/amount.tsx'
import { countText } from '../parts/count-text.ts'
import { CurrencyFilter } from '../parts/currency-filter.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { PageFiles } from '../parts/page-files.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import print from '../parts/print.module.css'
import { StatusBadge } from '../parts/status-badge.tsx'
import { call, fileAddress } from '../shell/api.ts'
import { isCode, type DifferenceSearch } from './difference-search.ts'

const ADDRESS = '/settlement-differences'

type Filter = { readonly [Name in keyof DifferenceSearch]?: DifferenceSearch[Name] | undefined }

/** Settlement differences of the merchant, the oldest first. */
export function DifferencesPage() {
  const search = useSearch({ from: ADDRESS })
  const navigate = useNavigate()
  const list = useInfiniteQuery({
    queryKey: ['settlement-differences', 'list', search],
    queryFn: ({ pageParam, signal }) =>
      call(routes.differences.list, { query: { ...search, after: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  const [first] = list.data?.pages ?? []
  const go = (changes: Filter): void => {
    const next = { ...search, ...changes }
    void navigate({
      to: ADDRESS,
      search: Object.fromEntries(Object.entries(next).filter(([, value]) => value)),
      replace: true,
    })
  }
  return (
    <Page
      title="Settlement differences"
      text="Contradictions between settlement files and captures and refunds, the oldest first."
      actions={<PageFiles csv={fileAddress(routes.differences.csv, { query: search })} />}
    >
      <Filters search={search} first={first} onChange={go} />
      {first !== undefined && first.totals.length > 0 && (
        <Totals totals={first.totals} search={search} />
      )}
      {list.error !== null ? (
        <Fault error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <DataTable
          label="Settlement differences"
          columns={COLUMNS}
          rows={list.data?.pages.flatMap(({ differences }) => differences)}
          keyOf={({ id }) => id}
          onOpen={({ id: differenceId }) =>
            void navigate({ to: `${ADDRESS}/$differenceId`, params: { differenceId } })
          }
          empty={
            <EmptyState
              title="No results"
              text="No difference matches these filters. Imports of settlement files find them."
            />
          }
        />
      )}
      <Pager
        label="settlement differences"
        nextLabel="Show more"
        isLoading={list.isFetchingNextPage}
        onNext={list.hasNextPage ? () => void list.fetchNextPage() : null}
      />
    </Page>
  )
}

interface FiltersProps {
  readonly search: DifferenceSearch
  readonly first: SettlementDifferenceList | undefined
  readonly onChange: (changes: Filter) => void
}

function Filters({ search, first, onChange }: FiltersProps) {
  return (
    <Group gap="sm" className={print.unprinted}>
      <Select
        label="State"
        w={120}
        data={[
          { value: 'open', label: 'Open' },
          { value: 'ended', label: 'Ended' },
          { value: 'all', label: 'Any' },
        ]}
        value={search.state ?? 'open'}
        onChange={(value) =>
          onChange({ state: value === 'ended' || value === 'all' ? value : undefined })
        }
        allowDeselect={false}
      />
      <Select
        label="Kind"
        w={240}
        data={[
          { value: '', label: 'Any' },
          ...Object.entries(DIFFERENCE_TEXTS).map(([value, label]) => ({ value, label })),
        ]}
        value={search.code ?? ''}
        onChange={(value) => onChange({ code: isCode(value) ? value : undefined })}
        allowDeselect={false}
      />
      <Select
        label="Owner"
        w={220}
        data={[
          { value: '', label: 'Any' },
          { value: 'none', label: 'Unassigned' },
          ...(first?.owners ?? []).map(({ email, name }) => ({ value: email, label: name })),
        ]}
        value={search.owner ?? ''}
        onChange={(value) => onChange({ owner: value ?? undefined })}
        allowDeselect={false}
      />
      <Select
        label="Older than"
        w={160}
        data={[
          { value: '', label: 'Any age' },
          ...['3', '5', '10', '30'].map((value) => ({ value, label: `${value} bank days` })),
        ]}
        value={search.olderThan ?? ''}
        onChange={(value) => onChange({ olderThan: value ?? undefined })}
        allowDeselect={false}
      />
      <CurrencyFilter
        chosen={search.currency}
        totals={first?.totals ?? []}
        onChange={(currency) => onChange({ currency })}
      />
      <AccountFilter search={search} first={first} onChange={onChange} />
    </Group>
  )
}

/** Merchants with one account need no choice. */
function AccountFilter({ first, onChange, search }: FiltersProps) {
  const accounts = first?.accounts ?? []
  if (accounts.length < 2) return null
  return (
    <Select
      label="Merchant account"
      w={160}
      data={[{ value: '', label: 'Any' }, ...accounts]}
      value={search.account ?? ''}
      onChange={(value) => onChange({ account: value ?? undefined })}
      allowDeselect={false}
    />
  )
}

interface TotalsProps {
  readonly totals: SettlementDifferenceList['totals']
  readonly search: DifferenceSearch
}

/** Each total leads to the differences with a side in its currency. */
function Totals({ search, totals }: TotalsProps) {
  return (
    <Group gap="lg" component="section" aria-label="Totals">
      {totals.map(({ bankMinor, count, currency, hereMinor }) => (
        <LinkAnchor key={currency} to={ADDRESS} search={{ ...search, currency }} size="sm">
          {countText(count)} in {currency}: here <Amount minor={hereMinor} currency={currency} />,
          bank <Amount minor={bankMinor} currency={currency} />
        </LinkAnchor>
      ))}
    </Group>
  )
}

const COLUMNS: readonly Column<SettlementDifference>[] = [
  {
    key: 'id',
    title: 'Difference',
    cell: ({ id }) => (
      <Link
        className="link"
        to="/settlement-differences/$differenceId"
        params={{ differenceId: id }}
        tabIndex={-1}
      >
        {id}
      </Link>
    ),
  },
  { key: 'code', title: 'Kind', cell: ({ code }) => DIFFERENCE_TEXTS[code] },
  { key: 'order', title: 'Order', cell: ({ orderId }) => orderId ?? '–' },
  {
    key: 'line',
    title: 'File and line',
    cell: ({ fileId, line }) => (fileId === null ? '–' : `${fileId}, line ${line}`),
  },
  { key: 'here', title: 'Here', align: 'right', cell: ({ here }) => <Side side={here} /> },
  { key: 'bank', title: 'Bank', align: 'right', cell: ({ bank }) => <Side side={bank} /> },
  {
    key: 'age',
    title: 'Bank days',
    align: 'right',
    cell: ({ ageBankDays }) => countText(ageBankDays),
  },
  { key: 'owner', title: 'Owner', cell: ({ owner }) => owner || '–' },
  { key: 'state', title: 'State', cell: ({ state }) => <StatusBadge state={state} /> },
]

function Side({ side }: { readonly side: SettlementDifference['here'] }) {
  return side === null ? '–' : <Amount minor={side.minor} currency={side.currency} />
}
