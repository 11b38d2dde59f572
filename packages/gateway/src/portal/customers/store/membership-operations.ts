import type pg from 'pg'
import { appendAudit } from '../../../adapters/postgres/audit/audit-log.ts'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import { changeMembership } from '../../../adapters/postgres/memberships/membership-rows.ts'
import { createMembershipStore } from '../../../adapters/postgres/memberships/membership-store.ts'
import type { Membership } from '../../../domain/memberships/membership.ts'
import type { MembershipOperationStore, MembershipOperationView } from '../usecases/memberships.ts'

/**
 * Operations of portal users on memberships: written with the change and its audit entry, or not at
 * all.
 */
export function createMembershipOperations(pool: pg.Pool): MembershipOperationStore {
  return {
    find: createMembershipStore(pool).find,

    async findOperation(merchantId, key) {
      const { rows } = await pool.query<{ membership_id: string; request: string; what: string }>(
        'select membership_id, request, what from membership_operations where merchant_id = $1 and key = $2',
        [merchantId, key],
      )
      const [row] = rows
      return row === undefined
        ? null
        : { membershipId: BigInt(row.membership_id), request: row.request, what: row.what }
    },

    async change(read, membership, { key, request, requester, operation, what }, at) {
      const { ok } = await inTransaction(pool, AUDITED, async (client) => {
        const cause = { at, origin: 'portal', actor: requester.actor } as const
        if (!(await changeMembership(client, read, membership, cause))) return { ok: false }
        const { rowCount } = await client.query(
          `insert into membership_operations (merchant_id, key, membership_id, version, actor, request, what, at)
           values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
          [
            requester.merchantId,
            key,
            read.id,
            read.version + 1n,
            requester.actor,
            request,
            what,
            at,
          ],
        )
        if (rowCount !== 1) return { ok: false }
        await appendAudit(client, [
          {
            ...requester,
            operation,
            object: `membership ${read.id}`,
            result: 'done',
            details: { what, before: standing(read.membership), after: standing(membership) },
          },
        ])
        return { ok: true }
      })
      return ok
    },

    operationsSince: (membershipId, version) => readOperations(pool, membershipId, version),
  }
}

/** The users' operations since the membership was at `version`, the newest last. */
export async function readOperations(
  pool: pg.Pool,
  membershipId: bigint,
  version: bigint,
): Promise<MembershipOperationView[]> {
  const { rows } = await pool.query<MembershipOperationView>(
    `select at, actor, what from membership_operations where membership_id = $1 and version > $2 order by version`,
    [membershipId, version],
  )
  return rows
}

function standing({ state, product, nextProduct, cardId, next }: Membership): readonly string[] {
  return [
    `state ${state}`,
    `product ${product.productId}`,
    ...(nextProduct === null ? [] : [`next product ${nextProduct.productId}`]),
    `card ${cardId}`,
    next === null ? 'nothing planned' : `${next.kind} at ${next.at.toISOString()}`,
  ]
}
