import type pg from 'pg'
import { isOfDisabled } from '../../../adapters/postgres/connection/disabled-merchants.ts'
import type { SignInPolicy } from '../../../domain/logins/sign-in-policy.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import { HELD_HOURS } from '../domain/reset-mark.ts'
import { nextStep } from '../domain/sign-in-steps.ts'
import type { MerchantSummary, PortalUser } from '../usecases/portal-user.ts'
import type { PortalUsersStore } from '../usecases/sessions.ts'
import type { StoredUser } from '../usecases/sign-in-ports.ts'
import { isIdle, PORTAL_USER, portalUserOf, type PortalUserRow } from './portal-user-rows.ts'
import { createSessionStore, markSeen } from './session-store.ts'
import {
  IS_OPEN,
  PORTAL_USER_TABLES,
  secondsLeft,
  SEEN_EVERY_S,
  SESSION_AGES,
  UNFINISHED_S,
  type SessionAges,
} from './user-tables.ts'

/** SQL: until when the hold of `portal_users p` lasts; null for none, and once it is over. */
export const HELD_UNTIL = `(case when p.came_in_at > now() - interval '${HELD_HOURS} hours'
  then p.came_in_at + interval '${HELD_HOURS} hours' end)`

/** Portal users and their sessions. Sessions go by the database's clock. */
export function createPortalUsersStore(pool: pg.Pool, policy: SignInPolicy): PortalUsersStore {
  async function find(where: string, value: unknown): Promise<StoredUser<PortalUser> | null> {
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
      user: portalUserOf(row),
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
    ...createSessionStore(pool, PORTAL_USER_TABLES),
    findByEmail: (email) => find('p.email', email),
    findById: (id) => find('p.id', id),

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
        } & SessionAges
      >(
        `select s.id as session_id, s.csrf_token, m.time_zone, s.second_factor, ${PORTAL_USER},
                p.second_factor_ciphertext is not null as has_second_factor,
                p.came_in_by, ${HELD_UNTIL} as held_until,
                ${SESSION_AGES}
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
        await markSeen(pool, PORTAL_USER_TABLES, row.session_id)
      }
      return {
        id: BigInt(row.session_id),
        portalUser: portalUserOf(row),
        timeZone: row.time_zone,
        csrfToken: row.csrf_token,
        cameIn: row.came_in_by === null ? null : { by: row.came_in_by, heldUntil: row.held_until },
        next,
        secondsLeft: secondsLeft(row, isSeen),
      }
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
