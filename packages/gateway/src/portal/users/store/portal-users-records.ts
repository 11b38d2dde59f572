import type pg from 'pg'
import { createTransact } from '../../../adapters/postgres/audit/admin-transaction.ts'
import { invariant } from '../../../base/invariant.ts'
import { accessTx } from '../../shell/store/access-statements.ts'
import {
  isIdle,
  PORTAL_USER,
  portalUserOf,
  type PortalUserRow,
} from '../../shell/store/portal-user-rows.ts'
import { PORTAL_USER_TABLES } from '../../shell/store/user-tables.ts'
import type {
  LockedPortalUser,
  PortalUsersRecords,
  PortalUsersTx,
} from '../usecases/portal-users-records.ts'
import type { PortalUserSummary } from '../usecases/portal-users.ts'
import { listPeerRequests, peerRequestTx, readPeerApproval } from './peer-request-rows.ts'

type Row = PortalUserRow & {
  readonly active: boolean
  readonly idle: boolean
  readonly password_hash: string | null
}

/**
 * Portal users in the database. `idleDays`: days without a sign-in until a refusal; 0 for never.
 */
export function createPortalUsersRecords(pool: pg.Pool, idleDays: number): PortalUsersRecords {
  return {
    transact: createTransact(pool, (client) => portalUsersTx(client, idleDays)),
    list: (merchantId) => listPortalUsers(pool, merchantId, idleDays),
    readPeerApproval: (merchantId) => readPeerApproval(pool, merchantId),
    listRequests: (merchantId) => listPeerRequests(pool, merchantId),
    async findByEmail(email) {
      const { rows } = await pool.query<{ id: string }>(
        'select id from portal_users where email = $1',
        [email.toLowerCase()],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },
  }
}

/** The same on the connection of a transaction that the caller began. */
export function portalUsersTx(
  client: pg.ClientBase,
  idleDays: number,
): Omit<PortalUsersTx, 'audit'> {
  return {
    ...peerRequestTx(client),
    ...accessTx(client, PORTAL_USER_TABLES),

    async lockMerchant(merchantId) {
      const { rowCount } = await client.query(
        'select from merchants where id = $1 for no key update',
        [merchantId],
      )
      return rowCount === 1
    },

    async countUsersAndLiveSites(merchantId) {
      const { rows } = await client.query<{ users: number; liveSites: number }>(
        `select (select count(*)::int from portal_users where merchant_id = $1) as users,
                (select count(*)::int from sites where merchant_id = $1 and mode = 'live')
                  as "liveSites"`,
        [merchantId],
      )
      invariant(rows[0] !== undefined, 'a select without a table gives one row')
      return rows[0]
    },

    async lockMerchantOf(portalUserId) {
      await client.query(
        `select from merchants
          where id = (select merchant_id from portal_users where id = $1) for no key update`,
        [portalUserId],
      )
    },

    async lockPortalUser(id, merchantId) {
      await client.query(
        `select from portal_users
          where id = $1 and ($2::bigint is null or merchant_id = $2) for no key update`,
        [id, merchantId],
      )
      const { rows } = await client.query<Row>(
        `select ${PORTAL_USER}, p.active, ${isIdle(idleDays)} as idle, p.password_hash
           from portal_users p where p.id = $1 and ($2::bigint is null or p.merchant_id = $2)`,
        [id, merchantId],
      )
      return rows[0] === undefined ? null : lockedPortalUser(rows[0])
    },

    async countOtherOwners({ id, merchantId }) {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from portal_users
          where merchant_id = $1 and role = 'owner' and active and id <> $2`,
        [merchantId, id],
      )
      return rows[0]?.count ?? 0
    },

    async insertPortalUser(merchantId, { email, name, role, refundLimit }) {
      const { rows } = await client.query<{ id: string }>(
        `insert into portal_users
           (merchant_id, email, name, role, refund_limit_minor, refund_limit_currency)
         select $1::bigint, $2::text, $3, $4, $5, $6
          where not exists (select from portal_users where merchant_id = $1
             and regexp_replace(email, '#[0-9]+$', '') = regexp_replace($2, '#[0-9]+$', ''))
         on conflict (email) do nothing returning id`,
        [merchantId, email, name, role, refundLimit?.minor ?? null, refundLimit?.currency ?? null],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },

    async setRefundLimit(id, limit) {
      await client.query(
        `update portal_users set refund_limit_minor = $2, refund_limit_currency = $3
          where id = $1`,
        [id, limit?.minor ?? null, limit?.currency ?? null],
      )
    },
  }
}

function lockedPortalUser(row: Row): LockedPortalUser {
  const { active, idle, password_hash: passwordHash } = row
  return { ...portalUserOf(row), active, idle, passwordHash }
}

async function listPortalUsers(
  pool: pg.Pool,
  merchantId: bigint | null,
  idleDays: number,
): Promise<readonly PortalUserSummary[]> {
  const { rows } = await pool.query<
    Row & { has_second_factor: boolean; last_seen_at: Date | null; link_until: Date | null }
  >(
    `select ${PORTAL_USER}, p.active, ${isIdle(idleDays)} as idle, p.password_hash,
            p.second_factor_ciphertext is not null as has_second_factor,
            greatest(p.last_seen_at, (select max(s.last_seen_at) from portal_sessions s
                                       where s.portal_user_id = p.id and s.ended_at is null))
              as last_seen_at,
            (select i.expires_at from portal_invitations i
              where i.portal_user_id = p.id and i.ended_at is null and i.expires_at > now())
              as link_until
       from portal_users p where $1::bigint is null or p.merchant_id = $1
      order by p.merchant_id, lower(p.name), p.id`,
    [merchantId],
  )
  return rows.map((row) => ({
    ...portalUserOf(row),
    state: !row.active
      ? 'disabled'
      : row.password_hash === null
        ? 'invited'
        : row.idle
          ? 'idle'
          : 'active',
    hasSecondFactor: row.has_second_factor,
    lastSeenAt: row.last_seen_at,
    linkUntil: row.link_until,
  }))
}
