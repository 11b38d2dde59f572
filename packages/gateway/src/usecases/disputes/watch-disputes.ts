import { latestDayBefore } from '../../domain/settlement/bank-days.ts'
import { DISPUTE_UNKNOWN_AFTER_BANK_DAYS } from '../../domain/settlement/difference.ts'

export interface DisputeWatchStore {
  /** Accounts with a source, and their day by the merchant's zone and the site's clock. */
  findAccounts(
    now: Date,
  ): Promise<readonly { readonly id: bigint; readonly currency: string; readonly today: string }[]>
  /**
   * Makes a difference of each line of a dispute without a case, and of each case without its
   * money, that waits since `latestDay` or before. The answer is their number.
   */
  raiseUnknown(accountId: bigint, latestDay: string, now: Date): Promise<number>
  /** Marks the cases whose day of answer has passed without an answer, and counts them. */
  markOverdue(now: Date): Promise<number>
}

/** Finds money without a case, cases without money, and answers that are late. */
export async function watchDisputes(deps: {
  readonly store: DisputeWatchStore
  readonly clock: { now(): Date }
}): Promise<{ readonly raised: number; readonly overdue: number }> {
  const { clock, store } = deps
  const now = clock.now()
  let raised = 0
  for (const { currency, id, today } of await store.findAccounts(now)) {
    const latest = latestDayBefore(today, DISPUTE_UNKNOWN_AFTER_BANK_DAYS, currency)
    raised += await store.raiseUnknown(id, latest, now)
  }
  return { raised, overdue: await store.markOverdue(now) }
}
