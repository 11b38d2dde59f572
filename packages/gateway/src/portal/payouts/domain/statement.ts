/** Rows of a statement, in their sequence. */
export const STATEMENT_ROWS = [
  'captures',
  'refunds',
  'chargebacks',
  'fee_interchange',
  'fee_scheme',
  'fee_acquirer',
  'fee_dispute',
  'fee_tax',
  'fee_other',
  'reserve',
  'adjustments',
  'exchange',
  'carried',
  'unexplained',
  'payouts',
] as const
export type StatementRowName = (typeof STATEMENT_ROWS)[number]

/** All postings of a month between the balance at the acquirer and one other account. */
export interface StatementMovement {
  /** The other account of the ledger. */
  readonly account: string
  /** `in` raises the balance. */
  readonly direction: 'in' | 'out'
  readonly count: number
  /** Minor units, above zero. */
  readonly minor: bigint
}

export interface StatementRow {
  readonly name: StatementRowName
  readonly count: number
  /** Minor units; plus raises the balance. */
  readonly minor: bigint
}

/** The row of an account where both directions belong to the same one. */
const ROW_OF: Readonly<Record<string, StatementRowName>> = {
  merchant_refunds: 'refunds',
  disputes_open: 'chargebacks',
  fee_interchange: 'fee_interchange',
  fee_scheme: 'fee_scheme',
  fee_acquirer: 'fee_acquirer',
  fee_dispute: 'fee_dispute',
  fee_tax: 'fee_tax',
  fee_other: 'fee_other',
  reserve_held: 'reserve',
  adjustments: 'adjustments',
  fx_difference: 'exchange',
  carried_forward: 'carried',
  suspense: 'unexplained',
  payout_in_transit: 'payouts',
}

/** Accounts that captures credit and refunds debit. */
const OF_PAYMENTS: ReadonlySet<string> = new Set(['acquirer_receivable', 'currency_conversion'])

/** An account whose postings belong to a row; null where both directions do. */
export interface RowAccount {
  readonly account: string
  readonly direction: 'in' | 'out' | null
}

/** The accounts that make a row of a statement. */
export function accountsOfRow(name: StatementRowName): readonly RowAccount[] {
  const whole = Object.entries(ROW_OF)
    .filter(([, row]) => row === name)
    .map(([account]) => ({ account, direction: null }))
  const ofPayments = [...OF_PAYMENTS].flatMap((account) =>
    (['in', 'out'] as const)
      .filter((direction) => rowOf({ account, direction }) === name)
      .map((direction) => ({ account, direction })),
  )
  return [...whole, ...ofPayments]
}

/**
 * The rows of a statement: every row is there, also one without money. Throws for an account that
 * no row names, because the statement would not add up without it.
 */
export function statementRows(movements: readonly StatementMovement[]): readonly StatementRow[] {
  const sums = new Map<StatementRowName, { count: number; minor: bigint }>(
    STATEMENT_ROWS.map((name) => [name, { count: 0, minor: 0n }]),
  )
  for (const movement of movements) {
    const sum = sums.get(rowOf(movement))
    if (sum === undefined) continue
    sum.count += movement.count
    sum.minor += movement.direction === 'in' ? movement.minor : -movement.minor
  }
  return [...sums].map(([name, sum]) => ({ name, ...sum }))
}

function rowOf({
  account,
  direction,
}: Pick<StatementMovement, 'account' | 'direction'>): StatementRowName {
  if (OF_PAYMENTS.has(account)) return direction === 'in' ? 'captures' : 'refunds'
  const row = ROW_OF[account]
  if (row !== undefined) return row
  throw new Error(
    `The balance at the acquirer has postings with the account ${account}. ` +
      'A statement has no row for it. Add one in portal/payouts/domain/statement.ts.',
  )
}
