import type pg from 'pg'

/** A request of a merchant out of the request log, masked as it is kept there. */
export function createRequestFinder(pool: pg.Pool) {
  return async (merchantId: bigint, requestId: bigint) => {
    const { rows } = await pool.query<{
      id: string
      received_at: Date
      username: string
      address: string
      action: string
      parameters: Readonly<Record<string, unknown>>
      http_status: number
      took_ms: number
    }>(
      `select id, received_at, username, address, action, parameters, http_status, took_ms
         from requests where id = $1 and merchant_id = $2`,
      [requestId, merchantId],
    )
    const [row] = rows
    if (row === undefined) return null
    return {
      requestId: BigInt(row.id),
      receivedAt: row.received_at,
      username: row.username,
      address: row.address,
      action: row.action,
      parameters: row.parameters,
      httpStatus: row.http_status,
      tookMs: row.took_ms,
    }
  }
}
