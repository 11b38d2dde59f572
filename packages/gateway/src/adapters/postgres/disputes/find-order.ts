import type pg from 'pg'
import type { Notice } from '../../../domain/disputes/notice.ts'
import { messageOfKey } from '../../../domain/settlement/message-key.ts'
import { daysOfReferences } from '../../../domain/settlement/reference-days.ts'
import type { FeedOwner } from '../../../usecases/disputes/notice-store.ts'

/**
 * Orders of an account that the keys of a notice fit, two at most. DE 37 names the day of the
 * order, so that an account with many orders reads those of a day. Test sites have any clocks.
 * $1 merchant, $2 account, $3 DE 37, $4 key, $5 message number of the key, $6 days.
 */
const FIND = `
select o.id from orders o
 where o.merchant_id = $1 and o.merchant_account_id = $2
   and ($3::text is null or retrieval_reference(o.message_number, o.message_at) = $3)
   and ($4::text is null
        or case when $5::bigint is not null then o.message_number = $5
                else $4 in (o.id::text, o.reference) or ($3 is not null and $4 !~ '^[0-9]+$') end)
   and ($6::date[] is null
        or exists (select from unnest($6::date[]) as d (day)
                    where o.created_at >= d.day at time zone 'UTC'
                      and o.created_at < (d.day + 1) at time zone 'UTC'))
 limit 2`

const MODE = 'select mode from merchant_accounts where id = $1'

/** The only order that a notice fits; null for none, and for several. */
export async function findOrderOf(
  client: pg.ClientBase,
  { merchantAccountId, merchantId }: FeedOwner,
  { at, order, rrn }: Notice,
): Promise<bigint | null> {
  const message = messageOfKey(order)
  const { rows: modes } = await client.query<{ mode: 'test' | 'live' }>(MODE, [merchantAccountId])
  const isDated = rrn !== null && /^[0-9]{12}$/.test(rrn) && modes[0]?.mode === 'live'
  const days = isDated ? daysOfReferences([rrn.slice(0, 4)], at.toISOString().slice(0, 10)) : null
  const { rows } = await client.query<{ id: string }>(FIND, [
    merchantId,
    merchantAccountId,
    rrn,
    order,
    message,
    days,
  ])
  const [only, another] = rows
  return only === undefined || another !== undefined ? null : BigInt(only.id)
}
