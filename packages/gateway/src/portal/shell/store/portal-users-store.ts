import type pg from 'pg'
import { appendAudit } from '../../../adapters/postgres/audit/audit-log.ts'
import { isOfDisabled } from '../../../adapters/postgres/connection/disabled-merchants.ts'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import type { SignInPolicy } from '../../../domain/logins/sign-in-policy.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import { HELD_HOURS } from '../domain/reset-mark.ts'
import { nextStep } from '../domain/sign-in-steps.ts'
import type { MerchantSummary } from '../usecases/portal-user.ts'
import type { NewSession, PortalUsersStore, StoredPortalUser } from '../usecases/sessions.ts'
import { isIdle, PORTAL_USER, portalUserOf, type PortalUserRow } from './portal-user-rows.ts'

const IDLE_S = 15 * 60
const WHOLE_S = 12 * 60 * 60
/** User activity is written no more often than this; users are signed out that much sooner. */
const SEEN_EVERY_S = 5
/** A password was right, and the second factor is waited for no longer than this. */
const UNFINISHED_S = 10 * 60

/** SQL: whether `portal_sessions s` is open. */
export const IS_OPEN = `(s.ended_at is null and s.last_seen_at > now() - interval '${IDLE_S} seconds'
  and s.started_at > now() - interval '${WHOLE_S} seconds')`

/** SQL: until when the hold of `portal_users p` lasts; null for none, and once it is over. */
export const HELD_UNTIL = `(case when p.came_in_at > now() - interval '${HELD_HOURS} hours'
  then p.came_in_at + interval '${HELD_HOURS} hours' end)`

/** Does the work and writes its entries, as one. */
export async function audited<Result>(
  pool: pg.Pool,
  entries: readonly AuditEntry[],
  work: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const { result } = await inTransaction(pool, AUDITED, async (client) => {
    const result = await work(client)
    if (entries.length > 0) await appendAudit(client, entries)
    return { ok: true, result }
  })
  return result
}

/** Begins a session within the transaction of the caller; the portal user counts as seen. */
export async function insertSession(client: pg.ClientBase, session: NewSession): Promise<void> {
  const { portalUserId, tokenDigest, csrfToken, address, browser } = session
  await client.query(
    `insert into portal_sessions (portal_user_id, token_digest, csrf_token, address, browser)
     values ($1, $2, $3, $4, $5)`,
    [portalUserId, tokenDigest, csrfToken, address, printable(browser).slice(0, 300)],
  )
  await client.query('update portal_users set last_seen_at = now() where id = $1', [portalUserId])
}

/** A browser's name is arbitrary input. */
function printable(text: string): string {
  return text.replace(/[^ -~]/g, ' ').trim()
}

/** Portal users and their sessions. Sessions go by the database's clock. */
export function createPortalUsersStore(pool: pg.Pool, policy: SignInPolicy): PortalUsersStore {
  async function find(where: string, value: unknown): Promise<StoredPortalUser | null> {
    const { rows } = await pool.query<
      PortalUserRow & {
        password_hash: string | null
        active: boolean
        idle: boolean
        merchant_disabled: boolean
        second_factor_ciphertext: Buffer | null
      }
    >(
      `select ${PORTAL_USER}, p.password_hash, p.active, ${isIdle(policy.idleDays)} as idle,
              ${isOfDisabled('p.merchant_id')} as merchant_disabled, p.second_factor_ciphertext
         from portal_users p where ${where} = $1`,
      [value],
    )
    const [row] = rows
    if (row === undefined) return null
    return {
      portalUser: portalUserOf(row),
      passwordHash: row.password_hash,
      state: row.merchant_disabled
        ? 'merchant disabled'
        : !row.active
          ? 'disabled'
          : row.idle
            ? 'idle'
            : 'active',
      secondFactor:
        row.second_factor_ciphertext === null ? null : { ciphertext: row.second_factor_ciphertext },
    }
  }

  return {
    findByEmail: (email) => find('p.email', email),
    findById: (id) => find('p.id', id),

    async startSession(session, passwordHash, entries) {
      const { ok } = await inTransaction(pool, AUDITED, async (client) => {
        // A change of the password locks the user, and ends the sessions that exist then.
        const { rowCount } = await client.query(
          'select from portal_users where id = $1 and password_hash = $2 and active for no key update',
          [session.portalUserId, passwordHash],
        )
        if (rowCount !== 1) return { ok: false }
        await insertSession(client, session)
        if (entries.length > 0) await appendAudit(client, entries)
        return { ok: true }
      })
      return ok
    },

    async raiseSession(id, { tokenDigest, csrfToken }, entries) {
      await audited(pool, entries, (client) =>
        client.query(
          `update portal_sessions set token_digest = $2, csrf_token = $3, second_factor = true, last_seen_at = now()
            where id = $1 and ended_at is null`,
          [id, tokenDigest, csrfToken],
        ),
      )
    },

    async findSession(tokenDigest, isSeen) {
      const { rows } = await pool.query<
        PortalUserRow & {
          session_id: string
          csrf_token: string
          time_zone: string
          second_factor: boolean
          has_second_factor: boolean
          came_in_by: string | null
          held_until: Date | null
          password_days: number
          idle_s: number
          whole_s: number
        }
      >(
        `select s.id as session_id, s.csrf_token, m.time_zone, s.second_factor, ${PORTAL_USER},
                p.second_factor_ciphertext is not null as has_second_factor,
                p.came_in_by, ${HELD_UNTIL} as held_until,
                extract(epoch from now() - p.password_changed_at)::float8 / 86400 as password_days,
                extract(epoch from now() - s.last_seen_at)::float8 as idle_s,
                extract(epoch from now() - s.started_at)::float8 as whole_s
           from portal_sessions s join portal_users p on p.id = s.portal_user_id
           join merchants m on m.id = p.merchant_id
          where s.token_digest = $1 and ${IS_OPEN} and p.active and m.disabled_at is null`,
        [tokenDigest],
      )
      const [row] = rows
      if (row === undefined) return null
      const next = nextStep(
        {
          secondFactor: row.has_second_factor,
          codeVerified: row.second_factor,
          passwordAgeDays: row.password_days,
        },
        policy,
      )
      if (next === 'code' && row.whole_s > UNFINISHED_S) return null
      if (isSeen && row.idle_s > SEEN_EVERY_S) {
        await pool.query(
          'update portal_sessions set last_seen_at = now() where id = $1 and ended_at is null',
          [row.session_id],
        )
      }
      return {
        id: BigInt(row.session_id),
        portalUser: portalUserOf(row),
        timeZone: row.time_zone,
        csrfToken: row.csrf_token,
        cameIn: row.came_in_by === null ? null : { by: row.came_in_by, heldUntil: row.held_until },
        next,
        secondsLeft: {
          idle: Math.floor(IDLE_S - (isSeen ? 0 : row.idle_s)),
          whole: Math.floor(WHOLE_S - row.whole_s),
        },
      }
    },

    async endSession(id, entries) {
      await audited(pool, entries, (client) =>
        client.query(
          'update portal_sessions set ended_at = now() where id = $1 and ended_at is null',
          [id],
        ),
      )
    },

    async takeStep(portalUserId, step) {
      const { rowCount } = await pool.query(
        `update portal_users set second_factor_step = $2
          where id = $1 and second_factor_ciphertext is not null
            and (second_factor_step is null or second_factor_step < $2)`,
        [portalUserId, step],
      )
      return rowCount === 1
    },

    async takeRecoveryCode(portalUserId, digest) {
      const { rowCount } = await pool.query(
        `update portal_recovery_codes set used_at = now()
          where portal_user_id = $1 and digest = $2 and used_at is null`,
        [portalUserId, digest],
      )
      return rowCount === 1
    },

    readMerchant: (merchantId) => readMerchant(pool, merchantId),
  }
}

/** Whether a site is of the merchant. */
export async function hasSite(pool: pg.Pool, merchantId: bigint, siteId: bigint): Promise<boolean> {
  const { rowCount } = await pool.query('select from sites where id = $1 and merchant_id = $2', [
    siteId,
    merchantId,
  ])
  return rowCount === 1
}

/** A merchant's name and sites. */
export async function readMerchant(pool: pg.Pool, merchantId: bigint): Promise<MerchantSummary> {
  const [{ rows: merchants }, { rows: sites }] = await Promise.all([
    pool.query<{ name: string; time_zone: string }>(
      'select name, time_zone from merchants where id = $1',
      [merchantId],
    ),
    pool.query<{ id: string; name: string; mode: Mode; default_currency: string }>(
      'select id, name, mode, default_currency from sites where merchant_id = $1 order by id',
      [merchantId],
    ),
  ])
  return {
    name: merchants[0]?.name ?? '',
    timeZone: merchants[0]?.time_zone ?? 'UTC',
    sites: sites.map((site) => ({
      id: BigInt(site.id),
      name: site.name,
      mode: site.mode,
      defaultCurrency: site.default_currency,
    })),
  }
}
