import type { Role } from '@tollgate/portal-contract/rights'
import type pg from 'pg'

export interface DifferenceUser {
  readonly name: string
  readonly email: string
  readonly role: Role
}

export interface DifferenceChoices {
  /** The active users of a merchant, by name. */
  users(merchantId: bigint): Promise<readonly DifferenceUser[]>
  /** Merchant accounts with settlement files. */
  accounts(merchantId: bigint): Promise<readonly bigint[]>
}

/** The values that the filters and forms of differences offer. */
export function createDifferenceChoices(pool: pg.Pool): DifferenceChoices {
  return {
    async users(merchantId) {
      const { rows } = await pool.query<DifferenceUser>(
        `select name, email, role from portal_users
          where merchant_id = $1 and active order by name, id`,
        [merchantId],
      )
      return rows
    },
    async accounts(merchantId) {
      const { rows } = await pool.query<{ id: string }>(
        `select distinct merchant_account_id as id from settlement_sources
          where merchant_id = $1 order by 1`,
        [merchantId],
      )
      return rows.map(({ id }) => BigInt(id))
    },
  }
}
