import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import type { ThreeDsPolicy } from '../../../domain/three-ds/policy.ts'
import type { Transact } from '../../../usecases/audit/audited-transaction.ts'
import type { ThreeDsPolicyTx } from '../../../usecases/three-ds/change-policy.ts'
import { createTransact } from '../audit/admin-transaction.ts'
import { lockSite } from '../merchants/locked-site.ts'

/** The columns of `sites` with its settings. */
export interface PolicyRow {
  readonly three_ds_required: boolean
  readonly three_ds_unavailable: ThreeDsPolicy['whenUnavailable']
  readonly three_ds_pares_required: boolean
  readonly three_ds_challenge: string | null
  readonly three_ds_return_hosts: string[]
}

const FIND = `
select three_ds_required, three_ds_unavailable, three_ds_pares_required,
       three_ds_challenge, three_ds_return_hosts
  from sites where id = $1`

/** Null: there is no such site. */
export async function readThreeDsPolicy(
  pool: pg.Pool,
  siteId: bigint,
): Promise<ThreeDsPolicy | null> {
  const { rows } = await pool.query<PolicyRow>(FIND, [siteId])
  const [row] = rows
  return row === undefined ? null : policyOf(row)
}

/** Transactions in which the 3-D Secure settings of a site are changed. */
export function threeDsPolicyTransact(pool: pg.Pool): Transact<ThreeDsPolicyTx> {
  return createTransact(pool, threeDsPolicyTx)
}

/** The same on the connection of a transaction that the caller began. */
export function threeDsPolicyTx(client: pg.ClientBase): Omit<ThreeDsPolicyTx, 'audit'> {
  return {
    lockSite: (siteId: bigint) => lockSite(client, siteId),

    async readPolicy(siteId: bigint) {
      const { rows } = await client.query<PolicyRow>(FIND, [siteId])
      const [row] = rows
      invariant(row !== undefined, 'the site is locked')
      return policyOf(row)
    },

    async writePolicy(siteId: bigint, policy: ThreeDsPolicy) {
      await client.query(
        `update sites set three_ds_required = $2, three_ds_unavailable = $3,
                three_ds_pares_required = $4, three_ds_challenge = $5, three_ds_return_hosts = $6
          where id = $1`,
        [
          siteId,
          policy.required,
          policy.whenUnavailable,
          policy.paResRequired,
          policy.challengePreference,
          policy.returnHosts,
        ],
      )
    },
  }
}

/** The settings of a row of `sites`. */
export function policyOf(row: PolicyRow): ThreeDsPolicy {
  return {
    required: row.three_ds_required,
    whenUnavailable: row.three_ds_unavailable,
    paResRequired: row.three_ds_pares_required,
    challengePreference: row.three_ds_challenge,
    returnHosts: row.three_ds_return_hosts,
  }
}
