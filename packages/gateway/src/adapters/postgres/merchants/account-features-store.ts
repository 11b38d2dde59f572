import type pg from 'pg'
import type { AccountThreeDs } from '../../../domain/merchants/account-three-ds.ts'
import type { AccountFeaturesTx } from '../../../usecases/merchants/change-account-features.ts'

/** The columns of an account's registration for 3-D Secure. */
export interface AccountThreeDsRow {
  readonly three_ds_requestor_id: string | null
  readonly three_ds_requestor_url: string | null
}

export function accountThreeDsOf(row: AccountThreeDsRow): AccountThreeDs | null {
  const { three_ds_requestor_id: requestorId, three_ds_requestor_url: requestorUrl } = row
  return requestorId === null || requestorUrl === null ? null : { requestorId, requestorUrl }
}

/** Statements on an account's features, on the connection of the caller's transaction. */
export function accountFeaturesTx(client: pg.ClientBase): Omit<AccountFeaturesTx, 'audit'> {
  return {
    async lockFeatures(id) {
      await client.query('select from merchant_accounts where id = $1 for no key update', [id])
      const { rows } = await client.query<
        AccountThreeDsRow & { merchant_id: string; unreferenced_credits: boolean }
      >(
        `select merchant_id, three_ds_requestor_id, three_ds_requestor_url, unreferenced_credits
           from merchant_accounts where id = $1`,
        [id],
      )
      const [row] = rows
      if (row === undefined) return null
      return {
        merchantId: BigInt(row.merchant_id),
        threeDs: accountThreeDsOf(row),
        unreferencedCredits: row.unreferenced_credits,
      }
    },
    async setThreeDs(id, threeDs) {
      await client.query(
        `update merchant_accounts
            set three_ds_requestor_id = $2, three_ds_requestor_url = $3 where id = $1`,
        [id, threeDs?.requestorId ?? null, threeDs?.requestorUrl ?? null],
      )
    },
    async setUnreferencedCredits(id, allowed) {
      await client.query('update merchant_accounts set unreferenced_credits = $2 where id = $1', [
        id,
        allowed,
      ])
    },
  }
}
