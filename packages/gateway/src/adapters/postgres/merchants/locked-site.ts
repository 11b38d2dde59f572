import type pg from 'pg'

/** Holds the site until the commit and gives its merchant; null for no such site. */
export async function lockSite(client: pg.ClientBase, siteId: bigint): Promise<bigint | null> {
  const { rows } = await client.query<{ merchant_id: string }>(
    'select merchant_id from sites where id = $1 for update',
    [siteId],
  )
  return rows[0] === undefined ? null : BigInt(rows[0].merchant_id)
}
