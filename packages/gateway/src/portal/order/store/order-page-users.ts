import type pg from 'pg'
import { isInquiry, isLookUp } from '../../../adapters/postgres/audit/logged-parameters.ts'
import type { OrderRows } from '../usecases/order-page.ts'

/**
 * The name of `portal_users p`, as SQL, for the operation `portal_operations a` of a history.
 * The maker of a reset link can act as the user, so the history names both.
 */
export const PORTAL_USER_NAME =
  "(p.name || coalesce(', who came in by a link from ' || a.came_in_by, ''))"

/** Notes, inquiries and unfinished operations of portal users and API users on an order. */
export async function readPortalUsers(
  pool: pg.Pool,
  orderId: bigint,
): Promise<Pick<OrderRows, 'notes' | 'operations' | 'inquiries'>> {
  const [notes, operations, inquiries] = await Promise.all([
    pool.query<{ id: string; written_at: Date; name: string; text: string }>(
      `select n.id, n.written_at, p.name, n.text
         from order_notes n join portal_users p on p.id = n.portal_user_id
        where n.order_id = $1 order by n.id`,
      [orderId],
    ),
    pool.query<{
      id: string
      at: Date
      operation: string
      state: string
      name: string
      sentence: string | null
      request_id: string
    }>(
      `select a.id, site_time(a.site_id, a.begun_at) as at, a.operation, a.state,
              ${PORTAL_USER_NAME} as name, a.result ->> 'sentence' as sentence, a.request_id
         from portal_operations a join portal_users p on p.id = a.portal_user_id
        where a.order_id = $1 and a.state <> 'done'
          and not exists (select from transactions t
                           where t.order_id = $1 and t.request_id = a.request_id)
        order by a.id`,
      [orderId],
    ),
    pool.query<{
      id: string
      received_at: Date
      username: string
      is_look_up: boolean
      address: string
    }>(
      `select id, received_at, username, ${isLookUp('r')} as is_look_up, address
         from requests r
        where order_id = $1 and ${isInquiry('r')} order by received_at desc limit 100`,
      [orderId],
    ),
  ])
  return {
    notes: notes.rows.map((row) => ({
      id: BigInt(row.id),
      at: row.written_at,
      name: row.name,
      text: row.text,
    })),
    operations: operations.rows.map((row) => ({
      id: BigInt(row.id),
      at: row.at,
      operation: row.operation,
      state: row.state,
      name: row.name,
      sentence: row.sentence ?? '',
      requestId: BigInt(row.request_id),
    })),
    inquiries: inquiries.rows.map((row) => ({
      requestId: BigInt(row.id),
      at: row.received_at,
      username: row.username,
      isLookUp: row.is_look_up,
      address: row.address,
    })),
  }
}
