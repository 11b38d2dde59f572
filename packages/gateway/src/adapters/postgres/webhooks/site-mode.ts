import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'

/** The mode of a site that is locked. */
export async function readSiteMode(
  client: pg.ClientBase,
  siteId: bigint,
): Promise<'test' | 'live'> {
  const { rows } = await client.query<{ mode: 'test' | 'live' }>(
    'select mode from sites where id = $1',
    [siteId],
  )
  const [row] = rows
  invariant(row !== undefined, 'a locked site is gone')
  return row.mode
}
