import {
  feeMinor,
  monthsToCharge,
  planOn,
  rateOf,
  type FeeKind,
  type FeePlan,
} from '../../domain/fees/fee-plan.ts'

/** A sale, capture or refund of a closed batch. */
export interface ChargeableTransaction {
  readonly id: bigint
  readonly kind: FeeKind
  readonly brand: string
  readonly currency: string
  /** Less what was voided; minor units. */
  readonly amountMinor: bigint
  /** Of its conclusion, in the merchant's time zone. */
  readonly day: string
}

/** The fee of one transaction: below zero, the merchant gets it. */
export interface TransactionFee {
  readonly transaction: ChargeableTransaction
  /** The plan that it was priced by. */
  readonly startsOn: string
  readonly feeMinor: bigint
}

/** Monthly fees of a merchant. */
export interface MonthlyFees {
  /** First day of the month. */
  readonly month: string
  readonly startsOn: string | null
  readonly amounts: ReadonlyMap<string, bigint>
}

export type PriceTransactions = (
  plans: readonly FeePlan[],
  transactions: readonly ChargeableTransaction[],
) => readonly TransactionFee[]

export type PriceMonths = (
  plans: readonly FeePlan[],
  after: string | null,
  today: string,
) => readonly MonthlyFees[]

/**
 * The store of fees. A step is one transaction that holds its batch or merchant. It prices by the
 * given function. So processes at the same work post a fee once.
 */
export interface FeeStore {
  /** One batch whose close has ended and whose fees are not all posted; null for none. */
  findBatch(): Promise<bigint | null>
  /** Posts the fees of some more transactions; false while another process is at the batch. */
  chargeBatch(batchId: bigint, price: PriceTransactions): Promise<boolean>
  /** Merchants whose last whole month has no charge. */
  findMerchants(now: Date): Promise<readonly bigint[]>
  /** Posts the fees of the merchant's months. */
  chargeMonths(merchantId: bigint, now: Date, price: PriceMonths): Promise<void>
}

/** One step of work; true when there may be more. */
export async function chargeFees(store: FeeStore, now: Date): Promise<boolean> {
  const batchId = await store.findBatch()
  if (batchId !== null) {
    return store.chargeBatch(batchId, priceTransactions)
  }
  for (const merchantId of await store.findMerchants(now)) {
    await store.chargeMonths(merchantId, now, priceMonths)
  }
  return false
}

/** Fees by the plan of each transaction's day. Those of zero are left out. */
export const priceTransactions: PriceTransactions = (plans, transactions) =>
  transactions.flatMap((transaction): TransactionFee[] => {
    const plan = planOn(plans, transaction.day)
    const rate = plan === null ? null : rateOf(plan, transaction.kind, transaction.brand)
    if (plan === null || rate === null || transaction.amountMinor === 0n) return []
    const fee = feeMinor(rate, transaction.currency, transaction.amountMinor)
    return fee === 0n ? [] : [{ transaction, startsOn: plan.startsOn, feeMinor: fee }]
  })

/** Monthly fees by the plan of each month's first day. */
export const priceMonths: PriceMonths = (plans, after, today) =>
  monthsToCharge(plans, after, today).map((month): MonthlyFees => {
    const plan = planOn(plans, month)
    const amounts = new Map([...(plan?.monthlyMinor ?? [])].filter(([, minor]) => minor !== 0n))
    return { month, startsOn: plan?.startsOn ?? null, amounts }
  })
