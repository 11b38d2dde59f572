import type pg from 'pg'
import type { Transact } from '../../../usecases/audit/audited-transaction.ts'
import type { AccountLimitsTx } from '../../../usecases/merchants/change-account-limits.ts'
import { createTransact } from '../audit/admin-transaction.ts'
import { limitsOf, limitsText, type StoredLimits } from './account-limits-text.ts'

/** Transactions in which the limits of a merchant account are changed. */
export function accountLimitsTransact(pool: pg.Pool): Transact<AccountLimitsTx> {
  return createTransact(pool, accountLimitsTx)
}

/** The same on the connection of a transaction that the caller began. */
export function accountLimitsTx(client: pg.ClientBase): Omit<AccountLimitsTx, 'audit'> {
  return {
    async lockLimits(id) {
      await client.query('select from merchant_accounts where id = $1 for no key update', [id])
      const { rows } = await client.query<{
        merchant_id: string
        currencies: string[]
        limits: StoredLimits | null
      }>('select merchant_id, currencies, limits from merchant_accounts where id = $1', [id])
      const [row] = rows
      if (row === undefined) return null
      const { currencies, limits } = row
      return { id, merchantId: BigInt(row.merchant_id), currencies, limits: limitsOf(limits) }
    },
    async setLimits(id, limits) {
      const isEmpty = limits.amounts.size === 0 && limits.countries === null
      await client.query('update merchant_accounts set limits = $2 where id = $1', [
        id,
        isEmpty ? null : limitsText(limits),
      ])
    },
    textOf: limitsText,
  }
}
