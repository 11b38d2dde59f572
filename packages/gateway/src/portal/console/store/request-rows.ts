import type pg from 'pg'
import type { OperatorRequestState } from '../domain/operator-request.ts'
import type { ConsoleTx, OperatorRequestView } from '../usecases/operators-store.ts'
import { operationOf, storedOf, type StoredOperation } from './stored-operation.ts'

type RequestTx = Pick<ConsoleTx, 'expireRequests' | 'insertRequest' | 'lockRequest' | 'endRequest'>

/** Statements on requests that wait for a second operator. */
export function requestTx(client: pg.ClientBase): RequestTx {
  return {
    async expireRequests() {
      await client.query(
        `update operator_requests set state = 'expired', decided_at = now()
          where state = 'open' and expires_at <= now()`,
      )
    },

    async insertRequest(request) {
      const { operation, subject, label, seen, reason } = request
      const key = operation.does === 'put_link' ? operation.key : null
      const { rows } = await client.query<{ id: string }>(
        `insert into operator_requests (wanted, subject, seen, reason, asked_by, asked_session,
           link_key_ciphertext, link_key_data_key_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (subject) where state = 'open' do nothing returning id`,
        [
          JSON.stringify(storedOf(operation, label)),
          subject,
          seen,
          reason,
          request.requestedBy,
          request.requesterSession,
          key?.ciphertext ?? null,
          key?.dataKeyId ?? null,
        ],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },

    async lockRequest(id) {
      await client.query('select from operator_requests where id = $1 for no key update', [id])
      const { rows } = await client.query<{
        wanted: StoredOperation
        subject: string
        seen: string
        state: OperatorRequestState
        asked_by: string
        asked_session: string
        over: boolean
        ciphertext: Buffer | null
        data_key_id: number | null
      }>(
        `select wanted, subject, seen, state, asked_by, asked_session, expires_at <= now() as over,
                link_key_ciphertext as ciphertext, link_key_data_key_id as data_key_id
           from operator_requests where id = $1`,
        [id],
      )
      const [row] = rows
      if (row === undefined) return null
      const { subject, seen, state, over: isOver } = row
      const requestedBy = BigInt(row.asked_by)
      const requesterSession = BigInt(row.asked_session)
      const { ciphertext, data_key_id: dataKeyId } = row
      const key = ciphertext === null || dataKeyId === null ? null : { ciphertext, dataKeyId }
      const operation = operationOf(row.wanted, key)
      return { id, operation, subject, seen, state, requestedBy, requesterSession, isOver }
    },

    async endRequest(id, state, by) {
      await client.query(
        `update operator_requests
            set state = $2, decided_by = $3, decided_session = $4, decided_at = now()
          where id = $1`,
        [id, state, by?.id ?? null, by?.sessionId ?? null],
      )
    },
  }
}

/** Open requests first, then the newest. One that is too old is shown as expired. */
export async function listRequests(pool: pg.Pool): Promise<readonly OperatorRequestView[]> {
  const { rows } = await pool.query<{
    id: string
    wanted: StoredOperation
    subject: string
    reason: string
    state: OperatorRequestState
    asked_by: string
    asked_name: string
    asked_email: string
    asked_at: Date
    expires_at: Date
    decided_name: string | null
    decided_at: Date | null
  }>(
    `select r.id, r.wanted, r.subject, r.reason,
            case when r.state = 'open' and r.expires_at <= now() then 'expired' else r.state end
              as state,
            r.asked_by, a.name as asked_name, a.email as asked_email, r.asked_at, r.expires_at,
            d.name as decided_name, r.decided_at
       from operator_requests r
       join operators a on a.id = r.asked_by
       left join operators d on d.id = r.decided_by
      order by (r.state = 'open' and r.expires_at > now()) desc, r.id desc limit 100`,
  )
  return rows.map((row) => ({
    id: BigInt(row.id),
    operation: operationOf(row.wanted, null),
    subject: row.subject,
    label: row.wanted.label,
    reason: row.reason,
    state: row.state,
    requestedBy: { id: BigInt(row.asked_by), name: row.asked_name, email: row.asked_email },
    requestedAt: row.asked_at,
    expiresAt: row.expires_at,
    decidedBy: row.decided_name,
    decidedAt: row.decided_at,
  }))
}
