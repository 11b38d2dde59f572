import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type {
  PayoutSums,
  PayoutTotals,
  PayoutView,
} from '@tollgate/portal-contract/answers/payouts'
import { Amount } from '../parts/amount.tsx'
import { countText } from '../parts/count-text.ts'
import type { Column } from '../parts/data-table.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { Day } from './day.tsx'
import { sourceText } from './payout-words.ts'

type InCurrency = PayoutSums & { readonly currency: string }

function amountColumn<Row extends InCurrency>(
  key: string,
  title: string,
  minorOf: (row: Row) => string,
): Column<Row> {
  return {
    key,
    title,
    align: 'right',
    cell: (row) => <Amount bare minor={minorOf(row)} currency={row.currency} />,
  }
}

/** The rest has what was carried in and what is left: all columns add up to the net amount. */
function sumColumns<Row extends InCurrency>(): readonly Column<Row>[] {
  return [
    amountColumn('gross', 'Gross', (row) => row.grossMinor),
    amountColumn('refunds', 'Refunds', (row) => row.refundsMinor),
    amountColumn('chargebacks', 'Chargebacks', (row) => row.chargebacksMinor),
    amountColumn('fees', 'Fees', (row) => row.feesMinor),
    amountColumn('reserve', 'Reserve', (row) => row.reserveMinor),
    amountColumn('other', 'Other', (row) =>
      String(BigInt(row.otherMinor) + BigInt(row.carriedMinor) - BigInt(row.leftMinor)),
    ),
    {
      key: 'net',
      title: 'Net',
      align: 'right',
      cell: (row) => (
        <strong>
          <Amount minor={row.netMinor} currency={row.currency} />
        </strong>
      ),
    },
  ]
}

export const PAYOUT_COLUMNS: readonly Column<PayoutView>[] = [
  {
    key: 'date',
    title: 'Date',
    cell: ({ id, valueDate }) => (
      <Link
        className="link"
        to="/payouts/$payoutId"
        params={{ payoutId: id }}
        tabIndex={-1}
        style={{ whiteSpace: 'nowrap' }}
      >
        {valueDate}
      </Link>
    ),
  },
  {
    key: 'trace',
    title: 'Trace',
    cell: ({ trace }) => trace ?? '–',
  },
  { key: 'state', title: 'State', cell: ({ state }) => <StatusBadge state={state} /> },
  ...sumColumns<PayoutView>(),
  {
    key: 'arrives',
    title: 'Arrives',
    cell: ({ arrives }) => <Day day={arrives} />,
  },
  {
    key: 'account',
    title: 'Account',
    cell: (row) => (
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {sourceText(row)}
      </Text>
    ),
  },
]

export const TOTAL_COLUMNS: readonly Column<PayoutTotals>[] = [
  { key: 'currency', title: 'Currency', cell: ({ currency }) => currency },
  {
    key: 'payouts',
    title: 'Payouts',
    align: 'right',
    cell: ({ payouts }) => countText(payouts),
  },
  ...sumColumns<PayoutTotals>(),
]
