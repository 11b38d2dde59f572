import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import {
  nameAndLocationOf,
  placeOf,
  type CurrencyFacts,
} from '../../../domain/merchants/account-details.ts'
import type { AccountDetailsTx } from '../../../usecases/merchants/change-account-details.ts'
import { lockPlans } from '../fees/fee-plan-store.ts'

/** Statements on an account's details, on the connection of the caller's transaction. */
export function accountDetailsTx(client: pg.ClientBase): Omit<AccountDetailsTx, 'audit'> {
  return {
    async lockDetails(id) {
      await client.query('select from merchant_accounts where id = $1 for no key update', [id])
      const { rows } = await client.query<{
        merchant_id: string
        category_code: string
        name_and_location: string
        currencies: string[]
      }>(
        `select merchant_id, category_code, name_and_location, currencies
           from merchant_accounts where id = $1`,
        [id],
      )
      const [row] = rows
      if (row === undefined) return null
      const merchantId = BigInt(row.merchant_id)
      const { category_code: categoryCode, currencies } = row
      const details = { categoryCode, ...placeOf(row.name_and_location), currencies }
      return { merchantId, details, facts: await readFacts(client, id, merchantId) }
    },
    async setDetails(id, { categoryCode, currencies, ...place }) {
      await client.query(
        `update merchant_accounts
            set category_code = $2, name_and_location = $3, currencies = $4 where id = $1`,
        [id, categoryCode, nameAndLocationOf(place), currencies],
      )
    },
  }
}

async function readFacts(
  client: pg.ClientBase,
  id: bigint,
  merchantId: bigint,
): Promise<CurrencyFacts> {
  const plans = await lockPlans(client, merchantId)
  invariant(plans !== null, 'an account has a merchant')
  return { ...plans, defaultCurrencies: await readSoleDefaults(client, id) }
}

/** Default currencies of the account's sites that no other account of the site and mode takes. */
export async function readSoleDefaults(
  client: pg.ClientBase,
  id: bigint,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ code: string }>(
    `select distinct s.default_currency as code
       from merchant_accounts a
       join site_merchant_accounts m on m.merchant_account_id = a.id
       join sites s on s.id = m.site_id and s.mode = a.mode
      where a.id = $1 and not exists (
        select from site_merchant_accounts n
          join merchant_accounts b on b.id = n.merchant_account_id
         where n.site_id = s.id and b.id <> a.id and b.mode = a.mode
           and s.default_currency = any (b.currencies))`,
    [id],
  )
  return rows.map(({ code }) => code)
}
