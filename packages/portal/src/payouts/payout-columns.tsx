import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type {
  PayoutPart,
  PayoutSums,
  PayoutTotals,
  PayoutView,
} from '@tollgate/portal-contract/answers/payouts'
import type { ReactNode } from 'react'
import { Amount } from '../parts/amount.tsx'
import { countText } from '../parts/count-text.ts'
import type { Column } from '../parts/data-table.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { Day } from './day.tsx'
import { sourceText, type PayoutSearch } from './payout-words.ts'

type InCurrency = PayoutSums & { readonly currency: string }
/** Makes the amount of a row a link to the rows that it is the sum of. */
type Linked<Row> = (row: Row, part: PayoutPart | null, amount: ReactNode) => ReactNode

/** The rest has what was carried in and what is left: all columns add up to the net amount. */
function sumColumns<Row extends InCurrency>(linked: Linked<Row>): readonly Column<Row>[] {
  const column = (
    key: string,
    title: string,
    part: PayoutPart | null,
    minorOf: (row: Row) => string,
  ): Column<Row> => ({
    key,
    title,
    align: 'right',
    cell: (row) => {
      const amount = <Amount bare minor={minorOf(row)} currency={row.currency} />
      return minorOf(row) === '0' ? amount : linked(row, part, amount)
    },
  })
  return [
    column('gross', 'Gross', 'gross', (row) => row.grossMinor),
    column('refunds', 'Refunds', 'refunds', (row) => row.refundsMinor),
    column('chargebacks', 'Chargebacks', 'chargebacks', (row) => row.chargebacksMinor),
    column('fees', 'Fees', 'fees', (row) => row.feesMinor),
    column('reserve', 'Reserve', 'reserve', (row) => row.reserveMinor),
    // Several parts are in it.
    column('other', 'Other', null, (row) =>
      String(BigInt(row.otherMinor) + BigInt(row.carriedMinor) - BigInt(row.leftMinor)),
    ),
    {
      key: 'net',
      title: 'Net',
      align: 'right',
      cell: (row) =>
        linked(
          row,
          null,
          <strong>
            <Amount minor={row.netMinor} currency={row.currency} />
          </strong>,
        ),
    },
  ]
}

/** A sum of a payout leads to its lines. The row opens by keyboard, so its sums are no stops. */
function toLines({ id }: PayoutView, part: PayoutPart | null, amount: ReactNode) {
  return (
    <Link
      className="link"
      to="/payouts/$payoutId"
      params={{ payoutId: id }}
      search={part === null ? {} : { part }}
      tabIndex={-1}
      onClick={(event) => event.stopPropagation()}
    >
      {amount}
    </Link>
  )
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
  ...sumColumns<PayoutView>(toLines),
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

/** The totals of the chosen payouts: each leads to the payouts of its currency. */
export function totalColumns(search: PayoutSearch): readonly Column<PayoutTotals>[] {
  const toPayouts = (currency: string, shown: ReactNode, tabIndex: 0 | -1) => (
    <Link
      className="link"
      to="/payouts"
      search={{ ...search, currency }}
      resetScroll={false}
      tabIndex={tabIndex}
    >
      {shown}
    </Link>
  )
  return [
    {
      key: 'currency',
      title: 'Currency',
      cell: ({ currency }) => toPayouts(currency, currency, 0),
    },
    {
      key: 'payouts',
      title: 'Payouts',
      align: 'right',
      cell: ({ currency, payouts }) => toPayouts(currency, countText(payouts), -1),
    },
    ...sumColumns<PayoutTotals>(({ currency }, _, amount) => toPayouts(currency, amount, -1)),
  ]
}
