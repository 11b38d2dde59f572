import { Group, Select } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { SettlementSource } from '@tollgate/portal-contract/answers/payouts'
import * as routes from '@tollgate/portal-contract/routes'
import { DataTable } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { PageFiles } from '../parts/page-files.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { Panel } from '../parts/panel.tsx'
import print from '../parts/print.module.css'
import { SearchField } from '../parts/search-field.tsx'
import { TypedField } from '../parts/typed-field.tsx'
import { call, fileAddress } from '../shell/api.ts'
import { ExpectedPayouts } from './expected-payouts.tsx'
import { PAYOUT_COLUMNS, totalColumns } from './payout-columns.tsx'
import { spoken, STATES, type PayoutSearch } from './payout-words.ts'

const NO_RESULTS = (
  <EmptyState
    title="No results"
    text="No payout matches these filters. Payouts come with settlement files."
  />
)

/** Deposits of the acquirer, newest first. */
export function PayoutsPage() {
  const search = useSearch({ from: '/payouts' })
  const navigate = useNavigate()
  const list = useInfiniteQuery({
    queryKey: ['payouts', 'list', search],
    queryFn: ({ pageParam, signal }) =>
      call(routes.payouts.list, { query: { ...search, before: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  const first = list.data?.pages[0]
  return (
    <Page
      title="Payouts"
      text="Deposits that acquirers announced in settlement files, and the parts of each."
      actions={<PageFiles csv={fileAddress(routes.payouts.csv, { query: search })} />}
    >
      <ExpectedPayouts />
      <Filters search={search} sources={first?.sources ?? []} />
      {first !== undefined && first.totals.length > 0 && (
        <Panel title="Totals">
          <DataTable
            label="Totals by currency"
            columns={totalColumns(search)}
            rows={first.totals}
            keyOf={({ currency }) => currency}
            empty={null}
          />
        </Panel>
      )}
      {list.error !== null ? (
        <Fault error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <DataTable
          label="Payouts"
          columns={PAYOUT_COLUMNS}
          rows={list.data?.pages.flatMap(({ payouts }) => payouts)}
          keyOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/payouts/$payoutId', params: { payoutId: id } })}
          empty={NO_RESULTS}
        />
      )}
      <Pager
        label="payouts"
        nextLabel="Show more"
        isLoading={list.isFetchingNextPage}
        onNext={list.hasNextPage ? () => void list.fetchNextPage() : null}
      />
    </Page>
  )
}

interface FiltersProps {
  readonly search: PayoutSearch
  readonly sources: readonly SettlementSource[]
}

function Filters({ search, sources }: FiltersProps) {
  const navigate = useNavigate()
  const go = (changes: Readonly<Partial<Record<keyof PayoutSearch, string | null>>>): void => {
    const next = { ...search, ...changes }
    void navigate({
      to: '/payouts',
      search: Object.fromEntries(Object.entries(next).filter(([, value]) => value)),
      replace: true,
    })
  }
  const accounts = [...new Map(sources.map((each) => [each.accountId, each])).values()]
  const currencies = [...new Set(sources.map(({ currency }) => currency))]
  return (
    <Group gap="sm" className={print.unprinted}>
      <SearchField
        label="Deposit"
        placeholder="Amount, trace or acquirer's id"
        width={280}
        value={search.find ?? ''}
        onSearch={(find) => go({ find })}
      />
      <Select
        label="State"
        w={150}
        data={[{ value: '', label: 'Any' }].concat(
          STATES.map((state) => ({ value: state, label: spoken(state) })),
        )}
        value={search.state ?? ''}
        onChange={(state) => go({ state })}
        allowDeselect={false}
      />
      <Select
        label="Currency"
        w={120}
        data={[{ value: '', label: 'Any' }, ...currencies]}
        value={currencies.includes(search.currency ?? '') ? (search.currency ?? '') : ''}
        onChange={(currency) => go({ currency })}
        allowDeselect={false}
      />
      {accounts.length > 1 && (
        <Select
          label="Merchant account"
          w={240}
          data={[{ value: '', label: 'Any' }].concat(
            accounts.map(({ accountId, mode, processorName }) => ({
              value: accountId,
              label: `${accountId}, ${processorName}${mode === 'test' ? ' (test)' : ''}`,
            })),
          )}
          value={search.account ?? ''}
          onChange={(account) => go({ account })}
          allowDeselect={false}
        />
      )}
      <TypedField
        label="Value date from"
        type="date"
        value={search.from}
        onApply={(from) => go({ from })}
      />
      <TypedField
        label="Value date to"
        type="date"
        value={search.to}
        onApply={(to) => go({ to })}
      />
    </Group>
  )
}
