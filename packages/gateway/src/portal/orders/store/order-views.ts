import { readColumns, type ListName } from '@tollgate/portal-contract/order-columns'
import type pg from 'pg'
import { appendAudit } from '../../../adapters/postgres/audit/audit-log.ts'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import { portalUserActor } from '../../shell/usecases/portal-user.ts'
import { MOST_SHARED_VIEWS, MOST_VIEWS, type OrderViews } from '../usecases/order-views.ts'

interface ViewRow {
  readonly id: string
  readonly list: ListName
  readonly name: string
  readonly search: string
  readonly shared: boolean
  readonly portal_user_id: string
  readonly made_by: string
}

/** Views of the lists, and the columns that portal users chose last. */
export function createOrderViews(pool: pg.Pool): OrderViews {
  return {
    async read({ id, merchantId }, list) {
      const { rows } = await pool.query<ViewRow>(
        `select v.id, v.list, v.name, v.search, v.shared, v.portal_user_id, p.name as made_by
           from portal_order_views v join portal_users p on p.id = v.portal_user_id
          where v.merchant_id = $1 and v.list = $2 and (v.portal_user_id = $3 or v.shared)
          order by v.portal_user_id <> $3, lower(v.name) limit 200`,
        [merchantId, list, id],
      )
      return rows.map((row) => ({
        id: BigInt(row.id),
        list: row.list,
        name: row.name,
        search: row.search,
        shared: row.shared,
        own: BigInt(row.portal_user_id) === id,
        madeBy: row.made_by,
      }))
    },
    async save(portalUser, { list, name, search, shared }, address) {
      const { id } = await inTransaction(pool, AUDITED, async (client) => {
        // Holds the portal user, so that two saved at once are counted one after the other.
        await client.query('select from portal_users where id = $1 for no key update', [
          portalUser.id,
        ])
        const { rows: others } = await client.query<{ all: number; shared: number }>(
          `select count(*)::int as all, count(*) filter (where shared)::int as shared
             from portal_order_views where portal_user_id = $1 and (list, name) <> ($2, $3)`,
          [portalUser.id, list, name],
        )
        if ((others[0]?.all ?? 0) >= MOST_VIEWS) return { ok: false, id: 'views' as const }
        if (shared && (others[0]?.shared ?? 0) >= MOST_SHARED_VIEWS) {
          return { ok: false, id: 'shared' as const }
        }
        const { rows } = await client.query<{ id: string }>(
          `insert into portal_order_views (merchant_id, portal_user_id, list, name, search, shared)
           values ($1, $2, $3, $4, $5, $6)
           on conflict (portal_user_id, list, name) do update set search = excluded.search, shared = excluded.shared
           returning id`,
          [portalUser.merchantId, portalUser.id, list, name, search, shared],
        )
        const made = BigInt(rows[0]?.id ?? 0)
        await appendAudit(client, [
          {
            actor: portalUserActor(portalUser),
            operation: 'order_view.saved',
            object: `order view ${made}`,
            merchantId: portalUser.merchantId,
            address,
            result: 'done',
            details: { list, shared },
          },
        ])
        return { ok: true, id: made }
      })
      return id
    },
    async remove(portalUser, id, address) {
      const { ok } = await inTransaction(pool, AUDITED, async (client) => {
        const { rowCount } = await client.query(
          'delete from portal_order_views where id = $1 and portal_user_id = $2 and merchant_id = $3',
          [id, portalUser.id, portalUser.merchantId],
        )
        if (rowCount !== 1) return { ok: false }
        await appendAudit(client, [
          {
            actor: portalUserActor(portalUser),
            operation: 'order_view.removed',
            object: `order view ${id}`,
            merchantId: portalUser.merchantId,
            address,
            result: 'done',
          },
        ])
        return { ok: true }
      })
      return ok
    },
    async readColumns({ id }, list) {
      const { rows } = await pool.query<{ columns: string[] }>(
        'select columns from portal_list_columns where portal_user_id = $1 and list = $2',
        [id, list],
      )
      return readColumns(list, rows[0]?.columns.join(','))
    },
    async chooseColumns({ id }, list, columns) {
      await pool.query(
        `insert into portal_list_columns (portal_user_id, list, columns) values ($1, $2, $3)
         on conflict (portal_user_id, list) do update set columns = excluded.columns`,
        [id, list, columns],
      )
    },
  }
}
