import type pg from 'pg'
import { stateOf, type StoredPassword } from '../../../domain/logins/api-user.ts'
import type {
  ApiUserStore,
  ApiUserTx,
  LockedApiUser,
} from '../../../usecases/logins/api-user-store.ts'
import type { ApiUserSummary } from '../../../usecases/logins/api-users.ts'
import { createTransact } from '../audit/admin-transaction.ts'
import { IS_IDLE } from '../merchants/directory.ts'
import { readNetwork } from './networks.ts'
import { requestRateOf, type RequestRateColumns } from './request-rate-columns.ts'

interface UserRow extends RequestRateColumns {
  readonly id: string
  readonly merchant_id: string
  readonly username: string
  readonly active: boolean
  readonly reads_api: boolean
  readonly idle: boolean
  readonly allowed_from: string[]
}

interface PasswordRow {
  readonly number: number
  readonly place: number
  readonly hash: string
  readonly retired: boolean
}

const PASSWORDS = `select p.number, p.place, p.hash, p.retired_at is not null as retired
  from api_user_passwords p`

/** API users in the database. `idleDays`: API_USER_IDLE_DAYS, 0 for never. */
export function createApiUserStore(pool: pg.Pool, idleDays: number): ApiUserStore {
  return {
    transact: createTransact(pool, (client) => txOf(client, idleDays)),
    list: (merchantId) => listUsers(pool, idleDays, merchantId),
    async readPasswords(name) {
      const { rows } = await pool.query<PasswordRow>(
        `${PASSWORDS} join api_users u on u.id = p.user_id where u.username = $1 order by p.number desc`,
        [name],
      )
      return rows.map(passwordOf)
    },
    async readMerchantName(merchantId) {
      const { rows } = await pool.query<{ name: string }>(
        'select name from merchants where id = $1',
        [merchantId],
      )
      return rows[0]?.name ?? ''
    },
    async readMerchantNameOf(username) {
      const { rows } = await pool.query<{ name: string }>(
        `select m.name from merchants m join api_users u on u.merchant_id = m.id
          where u.username = $1`,
        [username],
      )
      return rows[0]?.name ?? ''
    },
    readNetwork: (text) => readNetwork(pool, text),
  }
}

function txOf(client: pg.ClientBase, idleDays: number): Omit<ApiUserTx, 'audit'> {
  return {
    async hasRefundLimit(portalUserId) {
      await client.query('select from portal_users where id = $1 for share', [portalUserId])
      const { rows } = await client.query<{ limited: boolean }>(
        'select refund_limit_minor is not null as limited from portal_users where id = $1',
        [portalUserId],
      )
      return rows[0]?.limited ?? true
    },

    async lockUser(name) {
      await client.query('select from api_users where username = $1 for no key update', [name])
      const { rows } = await client.query<UserRow>(
        `select u.id, u.merchant_id, u.username, u.active, u.reads_api,
                u.request_rate, u.request_burst,
                ${IS_IDLE('$2::integer')} as idle,
                u.allowed_from::text[] as allowed_from
           from api_users u where u.username = $1`,
        [name, idleDays],
      )
      return rows[0] === undefined ? null : lockedUser(rows[0])
    },

    async countUsers() {
      const { rows } = await client.query<{ count: number }>(
        'select count(*)::int as count from api_users',
      )
      return rows[0]?.count ?? 0
    },

    async findMerchants(id) {
      const { rows } = await client.query<{ id: string; name: string }>(
        'select id, name from merchants order by id = $1 desc, id limit 20',
        [id],
      )
      return rows.map((row) => ({ id: BigInt(row.id), name: row.name }))
    },

    async insertUser(merchantId, name, madeBy) {
      const { rows } = await client.query<{ id: string }>(
        `insert into api_users (merchant_id, username, made_by, reads_api) values ($1, $2, $3, true)
         on conflict (username) do nothing returning id`,
        [merchantId, name, madeBy],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },

    async readPasswords(userId) {
      const { rows } = await client.query<PasswordRow>(
        `${PASSWORDS} where p.user_id = $1 order by p.number desc`,
        [userId],
      )
      return rows.map(passwordOf)
    },

    async insertPassword(userId, { number, place, hash }, madeBy) {
      await client.query(
        `insert into api_user_passwords (user_id, number, place, hash, made_by)
         values ($1, $2, $3, $4, $5)`,
        [userId, number, place, hash, madeBy],
      )
    },

    async retirePassword(userId, number, retiredBy) {
      await client.query(
        `update api_user_passwords set retired_at = now(), retired_by = $3
          where user_id = $1 and number = $2`,
        [userId, number, retiredBy],
      )
    },

    async setAllowedFrom(userId, networks) {
      await client.query('update api_users set allowed_from = $2::cidr[] where id = $1', [
        userId,
        networks,
      ])
    },

    async setActive(userId, active) {
      await client.query(
        `update api_users set active = $2, enabled_at = case when $2 then now() else enabled_at end
          where id = $1`,
        [userId, active],
      )
    },

    async setReadsApi(userId, readsApi) {
      await client.query('update api_users set reads_api = $2 where id = $1', [userId, readsApi])
    },

    async setRequestRate(userId, rate) {
      await client.query(
        'update api_users set request_rate = $2, request_burst = $3 where id = $1',
        [userId, rate?.perSecond ?? null, rate?.burst ?? null],
      )
    },
  }
}

function lockedUser(row: UserRow): LockedApiUser {
  return {
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    name: row.username,
    active: row.active,
    idle: row.idle,
    readsApi: row.reads_api,
    requestRate: requestRateOf(row),
    allowedFrom: row.allowed_from,
  }
}

function passwordOf({ number, place, hash, retired }: PasswordRow): StoredPassword {
  return { number, place, hash, isRetired: retired }
}

async function listUsers(
  pool: pg.Pool,
  idleDays: number,
  merchantId: bigint | null,
): Promise<ApiUserSummary[]> {
  const { rows } = await pool.query<
    UserRow & { merchant: string; made_at: Date; made_by: string; last_used_at: Date | null }
  >(
    `select u.id, u.merchant_id, m.name as merchant, u.username, u.active, u.reads_api,
            u.request_rate, u.request_burst,
            ${IS_IDLE('$1::integer')} as idle, u.allowed_from::text[] as allowed_from,
            u.made_at, u.made_by, u.last_used_at
       from api_users u join merchants m on m.id = u.merchant_id
      where $2::bigint is null or u.merchant_id = $2
      order by u.merchant_id, u.username`,
    [idleDays, merchantId],
  )
  const passwords = await pool.query<{
    user_id: string
    number: number
    made_at: Date
    made_by: string
    last_used_at: Date | null
  }>(
    `select user_id, number, made_at, made_by, last_used_at
       from api_user_passwords where retired_at is null and user_id = any($1::bigint[]) order by user_id, number`,
    [rows.map(({ id }) => id)],
  )
  const byUser = Map.groupBy(passwords.rows, (row) => row.user_id)
  return rows.map((row) => ({
    name: row.username,
    merchantId: Number(row.merchant_id),
    merchant: row.merchant,
    state: stateOf(row),
    madeAt: row.made_at,
    madeBy: row.made_by,
    lastUsedAt: row.last_used_at,
    readsApi: row.reads_api,
    requestRate: requestRateOf(row),
    allowedFrom: row.allowed_from,
    passwords: (byUser.get(row.id) ?? []).map((password) => ({
      number: password.number,
      madeAt: password.made_at,
      madeBy: password.made_by,
      lastUsedAt: password.last_used_at,
    })),
  }))
}
