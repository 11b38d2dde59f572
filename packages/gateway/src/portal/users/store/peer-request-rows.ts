import type { Role } from '@tollgate/portal-contract/rights'
import type pg from 'pg'
import { hasFreshLink } from '../../shell/store/invitation-store.ts'
import type { RefundLimit } from '../../shell/usecases/portal-user.ts'
import type { PeerOperation, PeerRequestState } from '../domain/peer-approval.ts'
import type { PortalUsersTx } from '../usecases/portal-users-records.ts'
import type { PeerRequestView } from '../usecases/portal-users.ts'

interface StoredOperation {
  readonly does: PeerOperation['does']
  readonly role?: Role
  readonly refundLimit?: { readonly minor: string; readonly currency: string } | null
}

type RequestVerbs = Pick<
  PortalUsersTx,
  | 'readPeerApproval'
  | 'setPeerApproval'
  | 'expireRequests'
  | 'insertRequest'
  | 'lockRequest'
  | 'endRequest'
  | 'hasFreshLink'
>

/** Requests for changes of users, within a transaction. */
export function peerRequestTx(client: pg.ClientBase): RequestVerbs {
  return {
    readPeerApproval: (merchantId) => readPeerApproval(client, merchantId),

    async setPeerApproval(merchantId, isRequired) {
      await client.query('update merchants set peer_approval = $2 where id = $1', [
        merchantId,
        isRequired,
      ])
    },

    async expireRequests(merchantId) {
      await client.query(
        `update portal_user_requests set state = 'expired', decided_at = now()
          where merchant_id = $1 and state = 'open' and expires_at <= now()`,
        [merchantId],
      )
    },

    async insertRequest(request) {
      const { rows } = await client.query<{ id: string }>(
        `insert into portal_user_requests
           (merchant_id, portal_user_id, wanted, seen, asked_by, asked_session)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (merchant_id, coalesce(portal_user_id, 0)) where state = 'open' do nothing
         returning id`,
        [
          request.merchantId,
          request.portalUserId,
          stored(request.operation),
          request.seen,
          request.requestedBy,
          request.requesterSession,
        ],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },

    async lockRequest(merchantId, id) {
      await client.query(
        'select from portal_user_requests where id = $1 and merchant_id = $2 for update',
        [id, merchantId],
      )
      const { rows } = await client.query<{
        portal_user_id: string | null
        wanted: StoredOperation
        seen: string
        state: PeerRequestState
        asked_by: string
        asked_session: string
        over: boolean
      }>(
        `select portal_user_id, wanted, seen, state, asked_by, asked_session,
                expires_at <= now() as over
           from portal_user_requests where id = $1 and merchant_id = $2`,
        [id, merchantId],
      )
      const [row] = rows
      if (row === undefined) return null
      return {
        id,
        portalUserId: row.portal_user_id === null ? null : BigInt(row.portal_user_id),
        operation: operationOf(row.wanted),
        seen: row.seen,
        state: row.state,
        requestedBy: BigInt(row.asked_by),
        requesterSession: BigInt(row.asked_session),
        isOver: row.over,
      }
    },

    async endRequest(id, state, by) {
      await client.query(
        `update portal_user_requests
            set state = $2, decided_by = $3, decided_session = $4, decided_at = now()
          where id = $1`,
        [id, state, by?.id ?? null, by?.sessionId ?? null],
      )
    },

    hasFreshLink: (portalUserId) => hasFreshLink(client, portalUserId),
  }
}

export async function readPeerApproval(
  from: Pick<pg.ClientBase | pg.Pool, 'query'>,
  merchantId: bigint,
): Promise<boolean> {
  const { rows } = await from.query<{ peer_approval: boolean }>(
    'select peer_approval from merchants where id = $1',
    [merchantId],
  )
  return rows[0]?.peer_approval ?? false
}

/** Open requests first; one that is too old is shown as expired before it is stored so. */
export async function listPeerRequests(
  pool: pg.Pool,
  merchantId: bigint,
): Promise<readonly PeerRequestView[]> {
  const { rows } = await pool.query<{
    id: string
    wanted: StoredOperation
    state: PeerRequestState
    user_id: string | null
    user_name: string | null
    user_email: string | null
    asked_by: string
    asked_name: string
    asked_email: string
    asked_at: Date
    expires_at: Date
    decided_name: string | null
    decided_at: Date | null
  }>(
    `select r.id, r.wanted, u.id as user_id, u.name as user_name, u.email as user_email, r.asked_by,
            case when r.state = 'open' and r.expires_at <= now() then 'expired' else r.state end
              as state,
            a.name as asked_name, a.email as asked_email, r.asked_at, r.expires_at,
            d.name as decided_name, r.decided_at
       from portal_user_requests r
       join portal_users a on a.id = r.asked_by
       left join portal_users u on u.id = r.portal_user_id
       left join portal_users d on d.id = r.decided_by
      where r.merchant_id = $1
      order by (r.state = 'open') desc, r.id desc limit 20`,
    [merchantId],
  )
  return rows.map((row) => ({
    id: BigInt(row.id),
    operation: operationOf(row.wanted),
    portalUser:
      row.user_id === null
        ? null
        : { id: BigInt(row.user_id), name: row.user_name ?? '', email: row.user_email ?? '' },
    state: row.state,
    requestedBy: { id: BigInt(row.asked_by), name: row.asked_name, email: row.asked_email },
    requestedAt: row.asked_at,
    expiresAt: row.expires_at,
    decidedBy: row.decided_name,
    decidedAt: row.decided_at,
  }))
}

function stored(operation: PeerOperation): string {
  const { does } = operation
  if (operation.does !== 'change') return JSON.stringify({ does } satisfies StoredOperation)
  const { role, refundLimit: limit } = operation
  const refundLimit =
    limit === null ? null : { minor: limit.minor.toString(), currency: limit.currency }
  return JSON.stringify({ does, role, refundLimit } satisfies StoredOperation)
}

function operationOf({ does, role, refundLimit }: StoredOperation): PeerOperation {
  if (does !== 'change') return { does }
  if (role === undefined) throw new Error('A requested change of a user names no role.')
  const limit: RefundLimit | null =
    refundLimit === null || refundLimit === undefined
      ? null
      : { minor: BigInt(refundLimit.minor), currency: refundLimit.currency }
  return { does, role, refundLimit: limit }
}
