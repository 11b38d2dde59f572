import type { Role } from '@tollgate/portal-contract/rights'
import type pg from 'pg'
import { createTransact } from '../../../adapters/postgres/audit/admin-transaction.ts'
import { siteModeTx } from '../../../adapters/postgres/merchants/site-mode-store.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import { hasFreshLink } from '../../shell/store/invitation-store.ts'
import type { ModeDifference } from '../domain/going-live.ts'
import type { LiveRequestState } from '../domain/live-request.ts'
import type { GoLiveRequest, LiveRequestStore, LiveRequestTx } from '../usecases/going-live.ts'
import { readLeftBehind, readModeFacts, type ModeFactsDeps } from './mode-facts.ts'

interface RequestRow {
  readonly id: string
  readonly site_id: string
  readonly site_name: string
  readonly wanted_mode: Mode
  readonly state: LiveRequestState
  readonly listed: readonly ModeDifference[]
  readonly reason: string
  readonly asked_by: string
  readonly asked_name: string
  readonly asked_email: string
  readonly asked_at: Date
  readonly expires_at: Date
  readonly decided_name: string | null
  readonly decided_at: Date | null
  readonly decision_reason: string
}

interface LockedRow {
  readonly wanted_mode: Mode
  readonly state: LiveRequestState
  readonly digest: string
  readonly asked_by: string
  readonly asked_session: string
  readonly over: boolean
}

/** Requests to move sites, in the database. */
export function createLiveRequestStore(
  deps: ModeFactsDeps & { readonly pool: pg.Pool },
): LiveRequestStore {
  const { pool } = deps
  return {
    transact: createTransact(pool, (client) => txOf(client, deps)),
    readModeFacts: (merchantId, siteId) => readModeFacts(pool, deps, merchantId, siteId),
    readLeftBehind: (merchantId, siteId, mode) => readLeftBehind(pool, merchantId, siteId, mode),

    async expireRequests(merchantId) {
      await pool.query(
        `update go_live_requests set state = 'expired', decided_at = now()
          where merchant_id = $1 and state = 'open' and expires_at <= now()`,
        [merchantId],
      )
    },

    async list(merchantId, siteId) {
      const { rows } = await pool.query<RequestRow>(
        `select r.id, r.site_id, s.name as site_name, r.wanted_mode, r.state, r.listed, r.reason, r.asked_by,
                a.name as asked_name, a.email as asked_email, r.asked_at, r.expires_at, d.name as decided_name,
                r.decided_at, r.decision_reason
           from go_live_requests r
           join sites s on s.id = r.site_id
           join portal_users a on a.id = r.asked_by
           left join portal_users d on d.id = r.decided_by
          where r.merchant_id = $1 and ($2::bigint is null or r.site_id = $2)
          order by (r.state = 'open') desc, r.id desc limit 20`,
        [merchantId, siteId],
      )
      return rows.map(requestOf)
    },
  }
}

function txOf(client: pg.ClientBase, deps: ModeFactsDeps): Omit<LiveRequestTx, 'audit'> {
  return {
    ...siteModeTx(client),

    async lockOwnSite(merchantId, siteId) {
      const { rowCount } = await client.query(
        'select from sites where id = $1 and merchant_id = $2 for update',
        [siteId, merchantId],
      )
      return rowCount === 1
    },

    async readRole(portalUserId) {
      const { rows } = await client.query<{ role: Role }>(
        'select role from portal_users where id = $1 and active for share',
        [portalUserId],
      )
      return rows[0]?.role ?? null
    },

    readModeFacts: (merchantId, siteId) => readModeFacts(client, deps, merchantId, siteId),

    async lockRequest(siteId, id) {
      await client.query('select from go_live_requests where id = $1 and site_id = $2 for update', [
        id,
        siteId,
      ])
      const { rows } = await client.query<LockedRow>(
        `select wanted_mode, state, encode(digest, 'hex') as digest, asked_by, asked_session,
                expires_at <= now() as over
           from go_live_requests where id = $1 and site_id = $2`,
        [id, siteId],
      )
      const [row] = rows
      if (row === undefined) return null
      return {
        id,
        wantedMode: row.wanted_mode,
        state: row.state,
        digest: row.digest,
        requestedBy: BigInt(row.asked_by),
        requesterSession: BigInt(row.asked_session),
        isOver: row.over,
      }
    },

    hasFreshLink: (portalUserId) => hasFreshLink(client, portalUserId),

    async expireRequests(siteId) {
      await client.query(
        `update go_live_requests set state = 'expired', decided_at = now()
          where site_id = $1 and state = 'open' and expires_at <= now()`,
        [siteId],
      )
    },

    async insertRequest(request) {
      const { rows } = await client.query<{ id: string }>(
        `insert into go_live_requests (merchant_id, site_id, wanted_mode, listed, digest, reason, asked_by, asked_session)
         values ($1, $2, $3, $4, decode($5, 'hex'), $6, $7, $8)
         on conflict (site_id) where state = 'open' do nothing returning id`,
        [
          request.merchantId,
          request.siteId,
          request.wantedMode,
          JSON.stringify(request.listed),
          request.digest,
          request.reason,
          request.requestedBy,
          request.requesterSession,
        ],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },

    async decideRequest(id, state, by, reason) {
      await client.query(
        `update go_live_requests
            set state = $2, decided_by = $3, decided_session = $4, decided_at = now(), decision_reason = $5
          where id = $1`,
        [id, state, by.id, by.sessionId, reason],
      )
    },

    async endRequest(id, state) {
      await client.query(
        'update go_live_requests set state = $2, decided_at = now() where id = $1',
        [id, state],
      )
    },
  }
}

function requestOf(row: RequestRow): GoLiveRequest {
  return {
    id: BigInt(row.id),
    siteId: BigInt(row.site_id),
    siteName: row.site_name,
    wantedMode: row.wanted_mode,
    state: row.state,
    listed: row.listed,
    reason: row.reason,
    requestedBy: { id: BigInt(row.asked_by), name: row.asked_name, email: row.asked_email },
    requestedAt: row.asked_at,
    expiresAt: row.expires_at,
    decidedBy: row.decided_name,
    decidedAt: row.decided_at,
    decisionReason: row.decision_reason,
  }
}
