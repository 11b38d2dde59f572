import type pg from 'pg'
import type { AuthenticationRow, OrderRows } from '../usecases/order-page.ts'

/** The 3-D Secure authentication of an order's payment, and the messages about it. */
export async function readThreeDs(
  pool: pg.Pool,
  orderId: bigint,
): Promise<Pick<OrderRows, 'authentication' | 'messages'>> {
  const { rows } = await pool.query<{
    server_trans_id: string
    state: string
    created_at: Date
    decided_at: Date | null
    message_version: string | null
    trans_status: string | null
    result_status: string | null
    trans_status_reason: string
    result_reason: string
    cause: string
    response: string
    eci: string
    cardholder_info: string
    challenge_cancel: string
  }>(
    `select a.server_trans_id, a.state, a.created_at, a.decided_at, a.message_version, a.trans_status, a.result_status,
            a.trans_status_reason, a.result_reason, a.cause, a.response, a.eci, a.cardholder_info, a.challenge_cancel
       from transactions t join three_ds_authentications a on a.transaction_id = t.id
      where t.order_id = $1 order by a.created_at limit 1`,
    [orderId],
  )
  const [row] = rows
  if (row === undefined) return { authentication: null, messages: [] }
  const authentication: AuthenticationRow = {
    state: row.state,
    createdAt: row.created_at,
    decidedAt: row.decided_at,
    version: row.message_version ?? '',
    status: row.result_status ?? row.trans_status ?? '',
    reason: row.result_status === null ? row.trans_status_reason : row.result_reason,
    cause: row.cause,
    response: row.response,
    eci: row.eci,
    cardholderInfo: row.cardholder_info,
    challengeCancel: row.challenge_cancel,
  }
  const messages = await pool.query<{
    id: string
    at: Date
    direction: 'in' | 'out'
    type: string
  }>(
    'select id, at, direction, type from three_ds_messages where server_trans_id = $1 order by id limit 100',
    [row.server_trans_id],
  )
  return {
    authentication,
    messages: messages.rows.map((message) => ({ ...message, id: BigInt(message.id) })),
  }
}

/** Memberships that the order began or charged. */
export async function memberships(
  pool: pg.Pool,
  orderId: bigint,
): Promise<OrderRows['memberships']> {
  const { rows } = await pool.query<{
    id: string
    at: Date
    product: string
    state: string
    began: boolean
  }>(
    `select m.id, case when m.order_id = $1 then m.created_at else o.created_at end as at, m.product, m.state,
            m.order_id = $1 as began
       from order_lines l join orders o on o.id = l.order_id join memberships m on m.id = l.membership_id
      where l.order_id = $1 order by m.id`,
    [orderId],
  )
  return rows.map((row) => ({ ...row, id: BigInt(row.id) }))
}
