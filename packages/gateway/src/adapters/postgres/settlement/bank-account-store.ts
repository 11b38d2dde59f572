import type pg from 'pg'
import type { BankAccountTx } from '../../../usecases/settlement/put-bank-account.ts'

/** The verbs of bank accounts and payers, on the connection of a transaction. */
export function bankAccountTx(client: pg.ClientBase): BankAccountTx {
  return {
    async lockMerchant(merchantId) {
      const { rowCount } = await client.query(
        'select from merchants where id = $1 for no key update',
        [merchantId],
      )
      return rowCount === 1
    },
    async findOwner(hash, currency) {
      const { rows } = await client.query<{ merchant_id: string }>(
        'select merchant_id from bank_accounts where number_sha256 = $1 and currency = $2',
        [hash, currency],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].merchant_id)
    },
    async putAccount({ currency, hash, last4, merchantId, reversals, since }, by) {
      const { rows } = await client.query<{ id: string }>(
        `insert into bank_accounts
           (merchant_id, number_sha256, last4, currency, reversals, since, made_by)
         values ($1, $2, $3, $4, $5, $6, $7)
             on conflict (number_sha256, currency) do update
            set reversals = excluded.reversals, since = excluded.since
          where bank_accounts.merchant_id = excluded.merchant_id
         returning id`,
        [merchantId, hash, last4, currency, reversals, since, by],
      )
      return BigInt(rows[0]?.id ?? 0)
    },
    async lockSource(accountId, currency) {
      await client.query(
        `select from settlement_sources where merchant_account_id = $1 and currency = $2
            for no key update`,
        [accountId, currency],
      )
      const { rows } = await client.query<{ id: string; merchant_id: string }>(
        `select id, merchant_id from settlement_sources
          where merchant_account_id = $1 and currency = $2`,
        [accountId, currency],
      )
      const [row] = rows
      if (row === undefined) return null
      return { id: BigInt(row.id), merchantId: BigInt(row.merchant_id) }
    },
    async putPayer({ id, merchantId }, { payerName, referencePattern }, by) {
      await client.query(
        `insert into deposit_payers
           (source_id, merchant_id, payer_name, reference_pattern, made_by)
         values ($1, $2, $3, $4, $5)
             on conflict (source_id) do update
            set payer_name = excluded.payer_name, reference_pattern = excluded.reference_pattern`,
        [id, merchantId, payerName.trim(), referencePattern, by],
      )
    },
  }
}
