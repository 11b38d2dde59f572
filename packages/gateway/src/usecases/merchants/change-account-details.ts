import type { Result } from '../../base/refusal.ts'
import {
  decideDetails,
  detailsText,
  type AccountDetails,
  type CurrencyFacts,
} from '../../domain/merchants/account-details.ts'
import { noSuchAccount } from '../../domain/merchants/limits-change.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'

/** An account with its details, held until the commit. */
export interface DetailedAccount {
  readonly merchantId: bigint
  readonly details: AccountDetails
  readonly facts: CurrencyFacts
}

/** The lock, read and write of a change of an account's details. */
export interface AccountDetailsTx extends AuditedTx {
  /** Holds the account, and the plans of its merchant, until the commit; null for no account. */
  lockDetails(id: bigint): Promise<DetailedAccount | null>
  setDetails(id: bigint, details: AccountDetails): Promise<void>
}

/** Changes the details of an account under its lock. The audit log has them before and after. */
export type ChangeAccountDetails = (
  id: bigint,
  wanted: AccountDetails,
  by: AuditAuthor,
) => Promise<Result>

export function createChangeAccountDetails(
  transact: Transact<AccountDetailsTx>,
): ChangeAccountDetails {
  return (id, wanted, by) =>
    transact(async (tx) => {
      const account = await tx.lockDetails(id)
      if (account === null) return noSuchAccount(id)
      const decided = decideDetails(id, account.details, wanted, account.facts)
      if (!decided.ok) return decided
      await tx.setDetails(id, wanted)
      const details = { before: detailsText(account.details), after: detailsText(wanted) }
      const { merchantId } = account
      const about = { operation: 'account.details_set', object: `account ${id}` } as const
      await tx.audit([{ ...by, ...about, merchantId, result: 'done', details }])
      return { ok: true }
    })
}
