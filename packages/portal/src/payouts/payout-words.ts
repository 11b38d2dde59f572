import type {
  FeeName,
  OperatorFee,
  OperatorFees,
  PayoutPart,
  PayoutState,
  PayoutSums,
  SettlementSource,
  StatementRowName,
} from '@tollgate/portal-contract/answers/payouts'

/** The filters of the list, as the address has them. */
export interface PayoutSearch {
  readonly state?: PayoutState
  readonly currency?: string
  readonly account?: string
  readonly from?: string
  readonly to?: string
  readonly find?: string
}

/** The row of a statement whose lines are shown, as the address has it. */
export interface StatementLinesSearch {
  readonly source?: string
  readonly month?: string
  readonly row?: StatementRowName
}

/** The sum of a statement whose fees are shown, as the address has it. */
export interface FeesSearch {
  readonly source?: string
  readonly month?: string
  readonly fee?: OperatorFee
}

/** The operator's fees of a statement, in their sequence; their sum is the last. */
export const OPERATOR_FEES: Readonly<
  Record<OperatorFee, { readonly title: string; readonly minorOf: (fees: OperatorFees) => string }>
> = {
  sales: { title: 'Sales and captures', minorOf: ({ salesMinor }) => salesMinor },
  refunds: { title: 'Refunds', minorOf: ({ refundsMinor }) => refundsMinor },
  monthly: {
    title: 'Monthly fee, for all accounts of the merchant',
    minorOf: ({ monthlyMinor }) => monthlyMinor,
  },
  all: {
    title: 'Charged',
    minorOf: ({ monthlyMinor, refundsMinor, salesMinor }) =>
      String(BigInt(salesMinor) + BigInt(refundsMinor) + BigInt(monthlyMinor)),
  },
}

export const FEE_NAMES = Object.keys(OPERATOR_FEES) as readonly OperatorFee[]

/** The parts of a deposit in the sequence in which they add up. */
export const PARTS: readonly {
  readonly part: PayoutPart
  readonly title: string
  readonly text: string
  readonly minorOf: (sums: PayoutSums) => string
}[] = [
  {
    part: 'carried',
    title: 'Carried in',
    text: 'from files without a payout',
    minorOf: (sums) => sums.carriedMinor,
  },
  {
    part: 'gross',
    title: 'Sales and captures',
    text: 'before fees',
    minorOf: (sums) => sums.grossMinor,
  },
  {
    part: 'refunds',
    title: 'Refunds',
    text: 'less returned refunds',
    minorOf: (sums) => sums.refundsMinor,
  },
  {
    part: 'chargebacks',
    title: 'Chargebacks',
    text: 'less returned chargebacks',
    minorOf: (sums) => sums.chargebacksMinor,
  },
  {
    part: 'fees',
    title: 'Fees on lines',
    text: 'of each sale, refund and chargeback',
    minorOf: (sums) => sums.feesMinor,
  },
  {
    part: 'reserve',
    title: 'Reserve',
    text: 'held back or released',
    minorOf: (sums) => sums.reserveMinor,
  },
  {
    part: 'other',
    title: 'Other',
    text: 'periodic fees, adjustments and rejects',
    minorOf: (sums) => sums.otherMinor,
  },
]

export const STATES = ['announced', 'deposited', 'returned'] as const satisfies PayoutState[]

export const FEES: readonly (readonly [name: FeeName, title: string])[] = [
  ['interchange', 'Interchange'],
  ['scheme', 'Scheme'],
  ['acquirer', 'Acquirer'],
  ['dispute', 'Dispute'],
  ['tax', 'Tax'],
  ['other', 'Other'],
]

export const STATEMENT_TITLES: Readonly<Record<StatementRowName, string>> = {
  captures: 'Sales and captures',
  refunds: 'Refunds',
  chargebacks: 'Chargebacks, less returned ones',
  fee_interchange: 'Interchange fees',
  fee_scheme: 'Scheme fees',
  fee_acquirer: "Acquirer's fees",
  fee_dispute: 'Dispute fees',
  fee_tax: 'Tax on fees',
  fee_other: 'Other fees',
  reserve: 'Reserve, held and released',
  adjustments: 'Adjustments',
  exchange: 'Exchange differences',
  carried: 'Moved to and from other files',
  unexplained: 'Unexplained, see the differences',
  payouts: 'Payouts',
}

/** `2001, acme, EUR (test)` */
export function sourceText(source: Omit<SettlementSource, 'id'>): string {
  const { accountId, currency, mode, processorName } = source
  return `${accountId}, ${processorName}, ${currency}${mode === 'test' ? ' (test)' : ''}`
}

/** `refund_reversal` as `Refund reversal`. */
export function spoken(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')
}
