import type { Result } from '../../base/refusal.ts'
import type {
  AccountLimits,
  AmountLimit,
  CountryRule,
} from '../../domain/merchants/account-limits.ts'
import {
  decideAmounts,
  decideCountries,
  noSuchAccount,
  type LimitedAccount,
} from '../../domain/merchants/limits-change.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'

/** The lock, read and write of one change of an account's limits. */
export interface AccountLimitsTx extends AuditedTx {
  /** Holds the account until the commit; null for no such account. */
  lockLimits(id: bigint): Promise<(LimitedAccount & { readonly merchantId: bigint }) | null>
  setLimits(id: bigint, limits: AccountLimits): Promise<void>
  /** The limits as the audit log shows them, a JSON text. */
  textOf(limits: AccountLimits): string
}

/** Changes an account's limits under its lock. The audit log has them before and after. */
export interface ChangeAccountLimits {
  /** Sets the named amounts of a currency, in minor units; null takes a limit away. */
  setAmounts(
    id: bigint,
    currency: string,
    change: Partial<AmountLimit>,
    by: AuditAuthor,
  ): Promise<Result>
  /** Null takes every country. */
  setCountries(id: bigint, countries: CountryRule | null, by: AuditAuthor): Promise<Result>
}

export function createChangeAccountLimits(
  transact: Transact<AccountLimitsTx>,
): ChangeAccountLimits {
  function change(
    id: bigint,
    by: AuditAuthor,
    decide: (account: LimitedAccount) => Result<{ readonly limits: AccountLimits }>,
  ): Promise<Result> {
    return transact(async (tx) => {
      const account = await tx.lockLimits(id)
      if (account === null) return noSuchAccount(id)
      const decided = decide(account)
      if (!decided.ok) return decided
      await tx.setLimits(id, decided.limits)
      const details = { before: tx.textOf(account.limits), after: tx.textOf(decided.limits) }
      const { merchantId } = account
      const about = { operation: 'account.limits_set', object: `account ${id}` } as const
      await tx.audit([{ ...by, ...about, merchantId, result: 'done', details }])
      return { ok: true }
    })
  }

  return {
    setAmounts: (id, currency, wanted, by) =>
      change(id, by, (account) => decideAmounts(account, currency, wanted)),
    setCountries: (id, countries, by) =>
      change(id, by, (account) => decideCountries(account, countries)),
  }
}
