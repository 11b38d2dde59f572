import type { Result } from '../../base/refusal.ts'
import type { PlansInForce } from '../../domain/fees/plan-change.ts'
import {
  decideAccount,
  type AccountLink,
  type AccountOwner,
  type StoredAccount,
} from '../../domain/merchants/account-change.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'
import type { AccountDraft } from './operator.ts'

/** The locks, reads and writes of one creation or change of a merchant account. */
export interface AccountTx extends AuditedTx {
  /** Holds the account until the commit; null for no such account. */
  lockAccount(id: number): Promise<StoredAccount | null>
  /** The account as the audit log shows it, a JSON text; null for no such account. */
  describeAccount(id: number): Promise<string | null>
  findLink(name: string | null): Promise<AccountLink | null>
  readOwner(account: AccountDraft): Promise<AccountOwner>
  /** Holds the plans of the merchant until the commit; null for no such merchant. */
  lockPlans(merchantId: bigint): Promise<PlansInForce | null>
  /**
   * Creates the account, or changes what may change of it, and gives it to its sites. Returns the
   * settings that it keeps because the description leaves them out.
   */
  writeAccount(
    account: AccountDraft,
    bank: { readonly linkId: bigint | null; readonly acquirerId: string },
  ): Promise<readonly string[]>
  setProcessorName(id: number, name: string): Promise<void>
}

/** Creates or changes a merchant account. A refusal is on record where the account exists. */
export type PutAccount = (
  account: AccountDraft,
  by: AuditAuthor,
) => Promise<Result<{ readonly created: boolean; readonly kept: readonly string[] }>>

/** Decides under the lock of the account, and writes the audit entry with the change. */
export function createPutAccount(transact: Transact<AccountTx>): PutAccount {
  return (account, by) =>
    transact(async (tx) => {
      const before = await tx.lockAccount(account.id)
      const state = await tx.describeAccount(account.id)
      const link = await tx.findLink(account.link)
      const owner = await tx.readOwner(account)
      const plans = await tx.lockPlans(BigInt(account.merchantId))
      const decided = decideAccount(account, { link, before, owner, plans })
      const entry = { ...by, operation: 'account.put', object: `account ${account.id}` } as const
      if (!decided.ok) {
        if (before !== null) {
          const { merchantId } = before
          const details = { faults: decided.faults }
          await tx.audit([{ ...entry, merchantId, result: 'refused', details }])
        }
        return decided
      }
      const kept = await tx.writeAccount(account, decided)
      const details = { before: state, after: await tx.describeAccount(account.id) }
      const merchantId = BigInt(account.merchantId)
      await tx.audit([{ ...entry, merchantId, result: 'done', details }])
      return { ok: true, created: before === null, kept }
    })
}
