import { latestDayBefore } from '../../domain/settlement/bank-days.ts'
import { PAYOUT_MISSING_AFTER_BANK_DAYS } from '../../domain/settlement/difference.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'
import type { DepositTx } from './deposit-store.ts'
import { matchAll } from './match-deposits.ts'

/** Which merchants have deposits to match or payouts that are due. */
export interface DepositWatchStore {
  /**
   * Sources with a bank account in their currency, and the day by their merchant's zone and clock.
   * `since` is the first day of the account.
   */
  findSources(now: Date): Promise<
    readonly {
      readonly id: bigint
      readonly merchantId: bigint
      readonly currency: string
      /** ISO 8601 date. */
      readonly today: string
    }[]
  >
  /** Whether an entry without a payout and an announced payout are there to be matched. */
  hasUnmatched(merchantId: bigint, currency: string): Promise<boolean>
  /** Whether a payout is announced, expected until the day, and without a difference. */
  isOverdue(sourceId: bigint, latestDay: string): Promise<boolean>
}

/** The actor of differences that end without a person. */
const ACTOR = 'gateway'

/**
 * Matches entries that came before the file of their payout, and makes differences of payouts whose
 * deadline passed. Any number of processes may do it at once.
 */
export async function watchDeposits(deps: {
  readonly store: DepositWatchStore
  readonly transact: Transact<DepositTx & AuditedTx>
  readonly clock: { now(): Date }
}): Promise<{ readonly raised: number; readonly matched: number }> {
  const { clock, store, transact } = deps
  const at = clock.now()
  const occasion = { at, by: ACTOR }
  const done = { raised: 0, matched: 0 }
  for (const { currency, id, merchantId, today } of await store.findSources(at)) {
    const latest = latestDayBefore(today, PAYOUT_MISSING_AFTER_BANK_DAYS, currency)
    const mayMatch = await store.hasUnmatched(merchantId, currency)
    if (!mayMatch && !(await store.isOverdue(id, latest))) continue
    const found = await transact(async (tx) => {
      await tx.lockMerchants([merchantId])
      await tx.returnAnnounced(merchantId, at, ACTOR)
      const { completed, deposited, returned } = await matchAll(tx, merchantId, currency, occasion)
      const raised = await tx.raiseMissingPayouts(id, latest, at)
      return { raised, matched: completed + deposited + returned }
    })
    done.raised += found.raised
    done.matched += found.matched
  }
  return done
}
