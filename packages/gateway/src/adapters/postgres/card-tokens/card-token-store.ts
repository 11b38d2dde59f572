import type pg from 'pg'
import type { CardTokenStore } from '../../../usecases/card-tokens/card-token-store.ts'
import { CLOCKED_SITES } from '../clocks/site-clock-rows.ts'

/** A timestamp is good for 300 seconds before and after; no id is free again while one may be. */
const UNIQUE_FOR = '10 minutes'
/** An order's reference is answered for 35 days; the token that paid for it is known for longer. */
const KEPT_AFTER_EXPIRY = '40 days'
const ERASED_AT_ONCE = 500

/** Of a security code by its site's clock; by the machine's it has an end of its own. */
const CODE_LIFE = `interval '14 minutes'`

const INSERT = `
with fresh as (
  insert into token_request_ids as r (site_id, unique_id, used_at) values ($4, $12, $13)
  on conflict (site_id, unique_id) do update set used_at = excluded.used_at
    where r.used_at < excluded.used_at - interval '${UNIQUE_FOR}'
  returning 1
), made as (
  insert into card_tokens (id, token_hash, merchant_id, site_id, mode, pan_ciphertext, data_key_id,
                           fingerprint, created_at, expires_at)
  select $1, decode($2, 'hex'), $3, $4, $5, decode($6, 'hex'), $7, decode($8, 'hex'), $9, $10
    from fresh
  returning id
), coded as (
  insert into card_token_codes (token_id, code_ciphertext, expires_at)
  select id, $11, $14 from made where $11::bytea is not null
)
select from made`

const FIND = `
select t.id, t.fingerprint, t.used_at, t.used_for,
       t.used_at is null and t.expires_at > $5 and t.pan_ciphertext is not null as usable,
       exists (select from card_token_codes c where c.token_id = t.id and c.expires_at > $6) and t.created_at > $5::timestamptz - ${CODE_LIFE}
         as holds_code
  from card_tokens t
 where t.token_hash = decode($1, 'hex') and t.site_id = $2 and t.merchant_id = $3 and t.mode = $4`

// A waiting request reads the row again once it has the lock, and finds it used.
const TAKE = `
with held as (
  select id, pan_ciphertext, created_at from card_tokens
   where id = $1 and used_at is null and expires_at > $3 and pan_ciphertext is not null
     for update
), taken as (
  update card_tokens t set used_at = $3, used_for = $2, pan_ciphertext = null, data_key_id = null
    from held where t.id = held.id
  returning t.id, held.pan_ciphertext, held.created_at
), coded as (
  delete from card_token_codes c using taken where c.token_id = taken.id
  returning c.expires_at, c.code_ciphertext,
            c.expires_at > $4 and taken.created_at > $3::timestamptz - ${CODE_LIFE} as lives
)
select pan_ciphertext, code_ciphertext, expires_at as code_expires_at
  from taken left join coded on coded.lives`

const FIND_WAITING_CODE = `
select c.code_ciphertext
  from card_token_codes c
  join card_tokens t on t.id = c.token_id and t.used_at is not null
 where c.token_id = $1 and c.expires_at > $3 and t.created_at > $2::timestamptz - ${CODE_LIFE}`

export interface CardTokens extends CardTokenStore {
  /**
   * Erases the numbers and codes of expired tokens, and deletes rows that no request can name any
   * more; true when there may be more. `machineTime` is the clock that stamped the unique ids.
   */
  eraseExpired(now: Date, machineTime: Date): Promise<boolean>
  /**
   * The same for tokens of one site with a clock of its own; gives how many numbers were erased.
   */
  eraseExpiredAt(siteId: bigint, now: Date): Promise<number>
}

export function createCardTokenStore(pool: pg.Pool): CardTokens {
  return {
    async insert(token) {
      const { rowCount } = await pool.query({
        name: 'insert card token',
        text: INSERT,
        values: [
          token.id,
          token.hash,
          token.site.merchantId,
          token.site.id,
          token.site.mode,
          token.sealed.ciphertext,
          token.sealed.dataKeyId,
          token.fingerprint,
          token.createdAt,
          token.expiresAt,
          token.code?.ciphertext ?? null,
          token.uniqueId,
          token.requestedAt,
          token.code?.expiresAt ?? null,
        ],
      })
      return rowCount === 1
    },

    async find(hash, site, machineTime) {
      const { rows } = await pool.query<{
        id: string
        fingerprint: Buffer
        used_at: Date | null
        used_for: string
        usable: boolean
        holds_code: boolean
      }>({
        name: 'find card token',
        text: FIND,
        values: [hash, site.id, site.merchantId, site.mode, site.clock.now(), machineTime],
      })
      const row = rows[0]
      if (row === undefined) return null
      return {
        id: BigInt(row.id),
        fingerprint: row.fingerprint.toString('hex'),
        usable: row.usable,
        holdsCode: row.holds_code,
        usedAt: row.used_at,
        usedFor: row.used_for,
      }
    },

    async peek(id, now) {
      const { rows } = await pool.query<{ pan_ciphertext: Buffer }>({
        name: 'peek at card token',
        text: `select pan_ciphertext from card_tokens
                where id = $1 and used_at is null and expires_at > $2 and pan_ciphertext is not null`,
        values: [id, now],
      })
      return rows[0]?.pan_ciphertext ?? null
    },

    async take(id, usedFor, now, machineTime) {
      const { rows } = await pool.query<{
        pan_ciphertext: Buffer
        code_ciphertext: Buffer | null
        code_expires_at: Date | null
      }>({ name: 'take card token', text: TAKE, values: [id, usedFor, now, machineTime] })
      const [row] = rows
      if (row === undefined) return null
      const { code_ciphertext: code, code_expires_at: expiresAt } = row
      const sealed = code === null || expiresAt === null ? null : { ciphertext: code, expiresAt }
      return { ciphertext: row.pan_ciphertext, code: sealed }
    },

    async findWaitingCode(id, now, machineTime) {
      const { rows } = await pool.query<{ code_ciphertext: Buffer }>({
        name: 'find waiting code',
        text: FIND_WAITING_CODE,
        values: [id, now, machineTime],
      })
      return rows[0]?.code_ciphertext ?? null
    },

    async eraseExpired(now, machineTime) {
      const counts: number[] = []
      const run = async (text: string, at: Date): Promise<void> => {
        const { rowCount } = await pool.query(text, [at, ERASED_AT_ONCE])
        counts.push(rowCount ?? 0)
      }
      await run(
        `delete from card_token_codes where token_id in
           (select token_id from card_token_codes where expires_at <= $1
             order by expires_at limit $2 for update skip locked)`,
        now,
      )
      await run(
        `update card_tokens set pan_ciphertext = null, data_key_id = null where id in
           (select id from card_tokens where pan_ciphertext is not null and expires_at <= $1
                and site_id <> all (${CLOCKED_SITES})
             order by expires_at limit $2 for update skip locked)`,
        now,
      )
      await run(
        `delete from token_request_ids where (site_id, unique_id) in
           (select site_id, unique_id from token_request_ids
             where used_at < $1::timestamptz - interval '${UNIQUE_FOR}'
             order by used_at limit $2 for update skip locked)`,
        machineTime,
      )
      await run(
        `delete from card_tokens where id in
           (select id from card_tokens where expires_at < $1::timestamptz - interval '${KEPT_AFTER_EXPIRY}'
                and site_id <> all (${CLOCKED_SITES})
             order by expires_at limit $2 for update skip locked)`,
        now,
      )
      return counts.some((count) => count === ERASED_AT_ONCE)
    },

    async eraseExpiredAt(siteId, now) {
      const values = [siteId, now]
      await pool.query(
        `delete from card_token_codes c using card_tokens t
          where t.id = c.token_id and t.site_id = $1 and t.mode = 'test' and t.expires_at <= $2`,
        values,
      )
      const { rowCount } = await pool.query(
        `update card_tokens set pan_ciphertext = null, data_key_id = null
          where pan_ciphertext is not null and site_id = $1 and mode = 'test' and expires_at <= $2`,
        values,
      )
      await pool.query(
        `delete from card_tokens where site_id = $1 and mode = 'test'
            and expires_at < $2::timestamptz - interval '${KEPT_AFTER_EXPIRY}'`,
        values,
      )
      return rowCount ?? 0
    },
  }
}
