import type { Result } from '../../base/refusal.ts'
import {
  decideUnreferencedCredits,
  decideThreeDs,
  threeDsText,
  type AccountFeatures,
  type AccountThreeDs,
} from '../../domain/merchants/account-three-ds.ts'
import { noSuchAccount } from '../../domain/merchants/limits-change.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'

/** The lock, read and writes of a change of an account's features. */
export interface AccountFeaturesTx extends AuditedTx {
  /** Holds the account until the commit; null for no such account. */
  lockFeatures(id: bigint): Promise<(AccountFeatures & { readonly merchantId: bigint }) | null>
  setThreeDs(id: bigint, threeDs: AccountThreeDs | null): Promise<void>
  setUnreferencedCredits(id: bigint, allowed: boolean): Promise<void>
}

/** Changes features of an account under its lock. The audit log has them before and after. */
export interface ChangeAccountFeatures {
  threeDs(id: bigint, wanted: AccountThreeDs | null, by: AuditAuthor): Promise<Result>
  /** Whether the account takes unreferenced credits. */
  unreferencedCredits(id: bigint, allowed: boolean, by: AuditAuthor): Promise<Result>
}

export function createChangeAccountFeatures(
  transact: Transact<AccountFeaturesTx>,
): ChangeAccountFeatures {
  return {
    threeDs: (id, wanted, by) =>
      transact(async (tx) => {
        const account = await tx.lockFeatures(id)
        if (account === null) return noSuchAccount(id)
        const decided = decideThreeDs(id, account.threeDs, wanted)
        if (!decided.ok) return decided
        await tx.setThreeDs(id, wanted)
        const details = { before: threeDsText(account.threeDs), after: threeDsText(wanted) }
        const about = { operation: 'account.three_ds_set', object: `account ${id}` } as const
        const { merchantId } = account
        await tx.audit([{ ...by, ...about, merchantId, result: 'done', details }])
        return { ok: true }
      }),

    unreferencedCredits: (id, allowed, by) =>
      transact(async (tx) => {
        const account = await tx.lockFeatures(id)
        if (account === null) return noSuchAccount(id)
        const decided = decideUnreferencedCredits(id, account.unreferencedCredits, allowed)
        if (!decided.ok) return decided
        await tx.setUnreferencedCredits(id, allowed)
        const about = {
          operation: 'account.unreferenced_credits_set',
          object: `account ${id}`,
        } as const
        const { merchantId } = account
        await tx.audit([{ ...by, ...about, merchantId, result: 'done', details: { allowed } }])
        return { ok: true }
      }),
  }
}
