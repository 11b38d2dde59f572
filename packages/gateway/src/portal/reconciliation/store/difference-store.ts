import type { Role } from '@tollgate/portal-contract/rights'
import type pg from 'pg'
import { createTransact } from '../../../adapters/postgres/audit/admin-transaction.ts'
import type { Transact } from '../../../usecases/audit/audited-transaction.ts'
import type { DifferenceOperation } from '../domain/difference-changes.ts'
import type { DifferenceTx } from '../usecases/change-difference.ts'

/** Transactions in which differences are changed. */
export function differenceTransact(pool: pg.Pool): Transact<DifferenceTx> {
  return createTransact(pool, txOf)
}

function txOf(client: pg.ClientBase): Omit<DifferenceTx, 'audit'> {
  return {
    async lockDifference(merchantId, id) {
      await client.query(
        'select from recon_differences where id = $1 and merchant_id = $2 for update',
        [id, merchantId],
      )
      const { rows } = await client.query<{
        version: number
        order_id: string
        gone_at: Date | null
        owner: string | null
      }>(
        `select d.version, d.order_id, d.gone_at, p.email as owner
           from recon_differences d left join portal_users p on p.id = d.owner_id
          where d.id = $1 and d.merchant_id = $2`,
        [id, merchantId],
      )
      const [row] = rows
      if (row === undefined) return null
      const { version, order_id: orderId, gone_at: goneAt, owner } = row
      const last = await readLastNote(client, id)
      return { version, orderId, isGone: goneAt !== null, owner, last }
    },

    async readRole(merchantId, portalUserId) {
      const { rows } = await client.query<{ role: Role }>(
        'select role from portal_users where id = $1 and merchant_id = $2 and active',
        [portalUserId, merchantId],
      )
      return rows[0]?.role ?? null
    },

    async writeChange(id, { what, portalUserId, ownerId, note }) {
      await client.query(
        `update recon_differences
            set version = version + 1,
                owner_id = case when $2 in ('taken', 'handed') then $3 else owner_id end,
                resolved_by = case $2 when 'resolved' then $4
                                     when 'reopened' then null else resolved_by end,
                resolved_at = case $2 when 'resolved' then now()
                                     when 'reopened' then null else resolved_at end
          where id = $1`,
        [id, what, ownerId, portalUserId],
      )
      await client.query(
        'insert into recon_notes (difference_id, portal_user_id, what, text) values ($1, $2, $3, $4)',
        [id, portalUserId, what, note],
      )
      const { rows } = await client.query<{ email: string }>(
        `select p.email from recon_differences d join portal_users p on p.id = d.owner_id
          where d.id = $1`,
        [id],
      )
      return rows[0]?.email ?? null
    },
  }
}

async function readLastNote(client: pg.ClientBase, id: bigint) {
  const { rows } = await client.query<{ name: string; what: DifferenceOperation; at: Date }>(
    `select p.name, n.what, n.at from recon_notes n join portal_users p on p.id = n.portal_user_id
      where n.difference_id = $1 order by n.id desc limit 1`,
    [id],
  )
  const [last] = rows
  return last === undefined ? null : { by: last.name, what: last.what, at: last.at }
}
