import { latestDayBefore } from '../../domain/settlement/bank-days.ts'
import { MISSING_AFTER_BANK_DAYS } from '../../domain/settlement/difference.ts'

/** The batches of accounts with settlement files. */
export interface DeadlineStore {
  /** Accounts with a source, and their day by the merchant's zone and the site's clock. */
  findAccounts(
    now: Date,
  ): Promise<readonly { readonly id: bigint; readonly currency: string; readonly today: string }[]>
  /** Closed batches that are not checked, the oldest first. */
  findBatches(accountId: bigint, limit: number, offset: number): Promise<readonly bigint[]>
  /**
   * Makes a difference of each capture and refund of the batch that is in no file and was made on
   * `latestDay` or before. A batch is checked when none is left.
   */
  raiseMissing(
    batchId: bigint,
    latestDay: string,
    now: Date,
  ): Promise<{ readonly raised: number; readonly isChecked: boolean }>
}

const BATCHES_AT_ONCE = 50

/**
 * Makes differences of captures and refunds whose deadline passed. Any number of processes may do
 * it at once. The answer is the number of new differences.
 */
export async function raiseMissing(deps: {
  readonly store: DeadlineStore
  readonly clock: { now(): Date }
}): Promise<number> {
  const { clock, store } = deps
  const now = clock.now()
  let raised = 0
  for (const { currency, id, today } of await store.findAccounts(now)) {
    const latest = latestDayBefore(today, MISSING_AFTER_BANK_DAYS, currency)
    for (let waiting = 0; ;) {
      const batches = await store.findBatches(id, BATCHES_AT_ONCE, waiting)
      for (const batch of batches) {
        const done = await store.raiseMissing(batch, latest, now)
        raised += done.raised
        if (!done.isChecked) waiting += 1
      }
      if (batches.length < BATCHES_AT_ONCE) break
    }
  }
  return raised
}
