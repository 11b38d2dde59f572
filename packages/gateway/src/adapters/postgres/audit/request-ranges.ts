import type pg from 'pg'

type Client = Pick<pg.ClientBase | pg.Pool, 'query'>

const KEEP = `
select keep_request_ranges() from request_ids s
 where exists (select from request_ranges where full_at is null and end_id <= s.last_value)
    or (select count(*) from request_ranges where first_id > s.last_value) < 2`

/** Notes which ranges of the request log are full, and opens ranges until two are ahead. */
export async function keepRequestRanges(client: Client): Promise<void> {
  await client.query({ name: 'keep request ranges', text: KEEP })
}

/** Opens ranges for ids up to this one and beyond it. */
export async function openRequestRanges(client: Client, upTo: bigint): Promise<void> {
  await client.query('select keep_request_ranges($1)', [upTo])
}

/**
 * Whether the error reports a row whose id is beyond the last range: the ids were moved ahead, as
 * after a backup was restored.
 */
export function isBeyondRanges(error: unknown): boolean {
  const { code, table } = error as { readonly code?: unknown; readonly table?: unknown }
  return code === '23514' && table === 'requests'
}
