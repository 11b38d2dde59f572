import type { Role } from '@tollgate/portal-contract/rights'
import type { PortalUser, RefundLimit } from '../usecases/portal-user.ts'
import { PORTAL_USER_TABLES, type UserTables } from './user-tables.ts'

export interface PortalUserRow {
  readonly id: string
  readonly merchant_id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly refund_limit_minor: string | null
  readonly refund_limit_currency: string | null
}

/** Of `portal_users p`. */
export const PORTAL_USER =
  'p.id, p.merchant_id, p.email, p.name, p.role, p.refund_limit_minor, p.refund_limit_currency'

/** SQL: whether the user `p` was not here for `days`; 0 for never. */
export const isIdle = (days: number): string =>
  days === 0
    ? 'false'
    : `(greatest(p.last_seen_at, p.enabled_at) < now() - interval '${days} days')`

/** How many passwords of a portal user are distinguished: the present one and those before. */
export const REMEMBERED = 5

/** SQL: the hashes of the last passwords of the user `p`, newest first. */
export function lastPasswords({ pastPasswords, userId }: UserTables): string {
  return `array_remove(array_prepend(p.password_hash, array(
  select hash from ${pastPasswords} where ${userId} = p.id
   order by replaced_at desc limit ${REMEMBERED} - (p.password_hash is not null)::int)), null)`
}

/** SQL: the hashes of the last passwords of `portal_users p`, newest first. */
export const LAST_PASSWORDS = lastPasswords(PORTAL_USER_TABLES)

/** A portal user out of the columns of PORTAL_USER. */
export function portalUserOf(row: PortalUserRow): PortalUser {
  return {
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    email: row.email,
    name: row.name,
    role: row.role,
    refundLimit: refundLimitOf(row),
  }
}

/** Null for no limit. */
export function refundLimitOf(
  row: Pick<PortalUserRow, 'refund_limit_minor' | 'refund_limit_currency'>,
): RefundLimit | null {
  const { refund_limit_minor: minor, refund_limit_currency: currency } = row
  return minor === null || currency === null ? null : { minor: BigInt(minor), currency }
}
