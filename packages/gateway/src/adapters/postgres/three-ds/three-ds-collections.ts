import type pg from 'pg'
import type { Collection } from '../../../usecases/three-ds/authentication-store.ts'
import type { CollectedBrowser } from '../../../usecases/three-ds/collected-browser.ts'
import { createGroupLane, type GroupLane } from '../connection/group-lane.ts'

const READ_AT_ONCE = 64

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

/** Readings of the data collected under a DDC_REFERENCEID; several at once are one statement. */
export function collectionLane(pool: pg.Pool): GroupLane<string, Collection | null> {
  return createGroupLane({
    groupSize: READ_AT_ONCE,
    limit: Infinity,
    async write(references) {
      const { rows } = await pool.query<CollectionRow>({
        name: 'find collections',
        text: `select reference, site_id, mode, merchant_account_id, leading_digits, server_trans_id,
                state, browser, method_url, method_state, expires_at
           from three_ds_collections where reference = any($1)`,
        values: [references],
      })
      const found = new Map(rows.map((row) => [row.reference, collectionOf(row)]))
      return references.map((reference) => found.get(reference) ?? null)
    },
  })
}

function collectionOf(row: CollectionRow): Collection {
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
