import type pg from 'pg'
import type { AccountDemands } from '../../../domain/merchants/account-demands.ts'
import type { AccountDemandsTx } from '../../../usecases/merchants/change-account-demands.ts'

/** Statements on an account's demands, on the connection of a transaction that the caller began. */
export function accountDemandsTx(client: pg.ClientBase): Omit<AccountDemandsTx, 'audit'> {
  return {
    async lockDemands(id) {
      await client.query('select from merchant_accounts where id = $1 for no key update', [id])
      const { rows } = await client.query<{
        merchant_id: string
        brands: AccountDemands['brands']
        required_fields: AccountDemands['requiredFields']
      }>('select merchant_id, brands, required_fields from merchant_accounts where id = $1', [id])
      const [row] = rows
      if (row === undefined) return null
      const { brands, required_fields: requiredFields } = row
      return { merchantId: BigInt(row.merchant_id), demands: { brands, requiredFields } }
    },
    async setDemands(id, { brands, requiredFields }) {
      await client.query(
        'update merchant_accounts set brands = $2, required_fields = $3 where id = $1',
        [id, brands, requiredFields],
      )
    },
  }
}
