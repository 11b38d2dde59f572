import type { Result } from '../../base/refusal.ts'
import {
  decideDemands,
  demandsText,
  type AccountDemands,
} from '../../domain/merchants/account-demands.ts'
import { noSuchAccount } from '../../domain/merchants/limits-change.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'

/** The lock, read and write of a change of an account's demands. */
export interface AccountDemandsTx extends AuditedTx {
  /** Holds the account until the commit; null for no such account. */
  lockDemands(
    id: bigint,
  ): Promise<{ readonly merchantId: bigint; readonly demands: AccountDemands } | null>
  setDemands(id: bigint, demands: AccountDemands): Promise<void>
}

/** Changes the demands of an account under its lock. The audit log has them before and after. */
export type ChangeAccountDemands = (
  id: bigint,
  demands: AccountDemands,
  by: AuditAuthor,
) => Promise<Result>

export function createChangeAccountDemands(
  transact: Transact<AccountDemandsTx>,
): ChangeAccountDemands {
  return (id, wanted, by) =>
    transact(async (tx) => {
      const account = await tx.lockDemands(id)
      if (account === null) return noSuchAccount(id)
      const decided = decideDemands(id, account.demands, wanted)
      if (!decided.ok) return decided
      await tx.setDemands(id, decided.demands)
      const details = { before: demandsText(account.demands), after: demandsText(decided.demands) }
      const { merchantId } = account
      const about = { operation: 'account.demands_set', object: `account ${id}` } as const
      await tx.audit([{ ...by, ...about, merchantId, result: 'done', details }])
      return { ok: true }
    })
}
