import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import type { Result } from '../../../base/refusal.ts'
import { noSuchSite, siteChangedMeanwhile } from '../../../domain/merchants/refused-site.ts'
import type { ThreeDsPolicy } from '../../../domain/three-ds/policy.ts'
import type { AuditAuthor } from '../../../usecases/audit/audit-log.ts'
import { inAdminTransaction, type AdminResult } from '../audit/admin-transaction.ts'

interface PolicyRow {
  readonly merchant_id: string
  readonly three_ds_required: boolean
  readonly three_ds_unavailable: ThreeDsPolicy['whenUnavailable']
  readonly three_ds_pares_required: boolean
  readonly three_ds_challenge: string | null
  readonly three_ds_return_hosts: string[]
}

const FIND = `
select merchant_id, three_ds_required, three_ds_unavailable, three_ds_pares_required,
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

/**
 * Changes what is named and leaves the rest; the audit log has both states. `seen`: what the caller
 * takes to be in force; when it is not, nothing is changed.
 */
export function changeThreeDsPolicy(
  pool: pg.Pool,
  siteId: bigint,
  changes: Partial<ThreeDsPolicy>,
  by: AuditAuthor,
  seen: ThreeDsPolicy | null = null,
): Promise<Result<{ readonly policy: ThreeDsPolicy }>> {
  return inAdminTransaction(
    pool,
    async (client): Promise<AdminResult<Result<{ policy: ThreeDsPolicy }>>> => {
      const { rows } = await client.query<PolicyRow>(`${FIND} for update`, [siteId])
      const [row] = rows
      if (row === undefined) {
        return { outcome: noSuchSite(siteId), entry: null }
      }
      const before = policyOf(row)
      if (seen !== null && !isDeepStrictEqual(seen, before))
        return { outcome: siteChangedMeanwhile(siteId), entry: null }
      const policy = { ...before, ...changes }
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
      return {
        outcome: { ok: true, policy },
        entry: {
          ...by,
          act: 'site.three_ds_set',
          object: `site ${siteId}`,
          merchantId: BigInt(row.merchant_id),
          result: 'done',
          details: { before: JSON.stringify(before), after: JSON.stringify(policy) },
        },
      }
    },
  )
}

function policyOf(row: PolicyRow): ThreeDsPolicy {
  return {
    required: row.three_ds_required,
    whenUnavailable: row.three_ds_unavailable,
    paResRequired: row.three_ds_pares_required,
    challengePreference: row.three_ds_challenge,
    returnHosts: row.three_ds_return_hosts,
  }
}
