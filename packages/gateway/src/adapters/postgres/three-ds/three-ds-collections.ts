import type pg from 'pg'
import type { Collection } from '../../../usecases/three-ds/authentication-store.ts'
import type { CollectedBrowser } from '../../../usecases/three-ds/collected-browser.ts'

interface CollectionRow {
  readonly reference: string
  readonly site_id: string
  readonly mode: Collection['mode']
  readonly merchant_account_id: string
  readonly leading_digits: string
  readonly server_trans_id: string
  readonly state: Collection['state']
  readonly browser: CollectedBrowser | null
  readonly method_url: string | null
  readonly method_state: Collection['methodState']
  readonly expires_at: Date
}

/** The data collected under a DDC_REFERENCEID. */
export async function findCollection(pool: pg.Pool, reference: string): Promise<Collection | null> {
  const { rows } = await pool.query<CollectionRow>({
    name: 'find collection',
    text: `select reference, site_id, mode, merchant_account_id, leading_digits, server_trans_id, state, browser,
            method_url, method_state, expires_at
       from three_ds_collections where reference = $1`,
    values: [reference],
  })
  const [row] = rows
  if (row === undefined) return null
  return {
    reference: row.reference,
    siteId: BigInt(row.site_id),
    mode: row.mode,
    merchantAccountId: BigInt(row.merchant_account_id),
    leadingDigits: row.leading_digits,
    serverTransId: row.server_trans_id,
    state: row.state,
    browser: row.browser,
    methodUrl: row.method_url,
    methodState: row.method_state,
    expiresAt: row.expires_at,
  }
}

/** False when it has served an AReq already. */
export async function takeCollection(pool: pg.Pool, reference: string): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'take collection',
    text: `update three_ds_collections set state = 'used' where reference = $1 and state <> 'used'`,
    values: [reference],
  })
  return rowCount === 1
}
