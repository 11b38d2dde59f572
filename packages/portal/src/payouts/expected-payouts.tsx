import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { PayoutView, UntakenBalance } from '@tollgate/portal-contract/answers/payouts'
import * as routes from '@tollgate/portal-contract/routes'
import { Amount } from '../parts/amount.tsx'
import { countOf, countText } from '../parts/count-text.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Panel } from '../parts/panel.tsx'
import { call } from '../shell/api.ts'
import { Day } from './day.tsx'
import { sourceText } from './payout-words.ts'
import classes from './payouts.module.css'

/** Deposits to expect: announced ones, and money at the acquirer that no payout has taken. */
export function ExpectedPayouts() {
  const expected = useQuery({
    queryKey: ['payouts', 'expected'],
    queryFn: ({ signal }) => call(routes.payouts.expected, { signal }),
  })
  const { data, error } = expected
  if (error !== null) return <Fault error={error} onRetry={() => void expected.refetch()} />
  if (data !== undefined && data.announced.length + data.untaken.length === 0) return null
  const waiting = data?.untaken.filter(
    ({ balanceMinor, lines }) => lines > 0 || balanceMinor !== '0',
  )
  const hidden = (data?.announcedCount ?? 0) - (data?.announced.length ?? 0)
  return (
    <div className={classes.columns}>
      <Panel title="Expected next">
        <DataTable
          label="Announced payouts"
          columns={ANNOUNCED}
          rows={data?.announced}
          keyOf={({ id }) => id}
          empty={<Nothing text="Every announced payout has arrived." />}
        />
        {hidden > 0 && (
          <Text size="sm" c="dimmed">
            {countOf(hidden, 'more payout')}: choose the state “announced” below.
          </Text>
        )}
      </Panel>
      <Panel title="At the acquirer, not paid out yet">
        <DataTable
          label="Balances without a payout"
          columns={UNTAKEN}
          rows={waiting}
          keyOf={({ id }) => id}
          empty={<Nothing text="Every balance is paid out." />}
        />
      </Panel>
    </div>
  )
}

function Source({ text }: { readonly text: string }) {
  return (
    <Text span inherit style={{ whiteSpace: 'nowrap' }}>
      {text}
    </Text>
  )
}

function Nothing({ text }: { readonly text: string }) {
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  )
}

const ANNOUNCED: readonly Column<PayoutView>[] = [
  {
    key: 'arrives',
    title: 'Arrives',
    cell: ({ arrives, id, valueDate }) => (
      <LinkAnchor to="/payouts/$payoutId" params={{ payoutId: id }} size="sm">
        <Day day={arrives ?? `after ${valueDate}`} />
      </LinkAnchor>
    ),
  },
  {
    key: 'net',
    title: 'Net',
    align: 'right',
    cell: ({ currency, id, netMinor }) => (
      <LinkAnchor to="/payouts/$payoutId" params={{ payoutId: id }} size="sm" tabIndex={-1}>
        <strong>
          <Amount minor={netMinor} currency={currency} />
        </strong>
      </LinkAnchor>
    ),
  },
  { key: 'trace', title: 'Trace', cell: ({ trace }) => trace ?? '–' },
  { key: 'account', title: 'Account', cell: (payout) => <Source text={sourceText(payout)} /> },
]

const UNTAKEN: readonly Column<UntakenBalance>[] = [
  {
    key: 'account',
    title: 'Account',
    cell: (source) => (
      <LinkAnchor to="/payouts/untaken/$sourceId" params={{ sourceId: source.id }} size="sm">
        <Source text={sourceText(source)} />
      </LinkAnchor>
    ),
  },
  {
    key: 'balance',
    title: 'Balance',
    align: 'right',
    cell: ({ balanceMinor, currency, id }) => (
      <LinkAnchor to="/payouts/untaken/$sourceId" params={{ sourceId: id }} size="sm" tabIndex={-1}>
        <Amount minor={balanceMinor} currency={currency} />
      </LinkAnchor>
    ),
  },
  { key: 'lines', title: 'Lines', align: 'right', cell: ({ lines }) => countText(lines) },
  { key: 'asOf', title: 'As of', cell: ({ asOf }) => <Day day={asOf} /> },
]
