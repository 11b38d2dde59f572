import type pg from 'pg'
import type { EndedSitesStore } from '../../../usecases/merchants/remove-ended-sites.ts'
import { appendAudit } from '../audit/audit-log.ts'
import { AUDITED, inTransaction } from '../connection/transaction.ts'
import { eraseCustomers } from './customer-erasure.ts'
import { lockCustomers } from './customer-facts.ts'

const CUSTOMERS_AT_ONCE = 20
/** Processes may have a site in memory for so long after its end. */
const CACHED = `interval '4 seconds'`
/** One that dies leaves the site for the others after this. */
const LEASE = `interval '5 seconds'`

/** $1: the site, $2: its merchant. Neither the books nor the audit log refer to these rows. */
const DELETIONS = [
  `delete from products p using sites s
    where s.id = p.site_id and s.id = $1 and s.merchant_id = $2`,
  `delete from card_testing_policies p using sites s
    where s.id = p.site_id and s.id = $1 and s.merchant_id = $2`,
  'delete from card_testing_hits where site_id = $1 and merchant_id = $2',
  'delete from card_tokens where site_id = $1 and merchant_id = $2',
  'delete from requests where site_id = $1 and merchant_id = $2',
  'delete from mail_subscriptions where site_id = $1 and merchant_id = $2',
  `delete from mail_templates t using sites s
    where s.id = t.site_id and s.id = $1 and s.merchant_id = $2`,
]

/** Ended sites in throwaway_sites. */
export function createEndedSitesStore(pool: pg.Pool, actor: string): EndedSitesStore {
  return {
    async take() {
      const { rows } = await pool.query<{ site_id: string; merchant_id: string }>(
        `update throwaway_sites set looked_at = now()
          where site_id = (
            select site_id from throwaway_sites
             where ended_at < now() - ${CACHED} and removed_at is null
               and (looked_at is null or looked_at < now() - ${LEASE})
             order by looked_at nulls first, ended_at limit 1 for update skip locked)
         returning site_id, merchant_id`,
      )
      const [row] = rows
      if (row === undefined) return null
      return { siteId: BigInt(row.site_id), merchantId: BigInt(row.merchant_id) }
    },

    async isQuiet({ merchantId, siteId }) {
      const { rowCount } = await pool.query(
        `select from orders o
          where o.merchant_id = $2 and o.site_id = $1
            and (o.state in ('running', 'pending')
                 or exists (select from advices a where a.order_id = o.id and a.state = 'queued'))
          limit 1`,
        [siteId, merchantId],
      )
      return rowCount === 0
    },

    async eraseCustomers({ merchantId, siteId }) {
      const { outcome } = await inTransaction(pool, AUDITED, async (client) => {
        const { rows } = await client.query<{ id: string; is_shared: boolean }>(
          `select c.id, exists (select from orders o
                                 where o.customer_id = c.id and o.site_id <> $1) as is_shared
             from (select distinct o.customer_id as id from orders o, throwaway_sites t
                    where t.site_id = $1 and o.site_id = $1 and o.merchant_id = $2
                      and o.customer_id > t.erased_customers
                      and not exists (select from customer_erasures e
                                       where e.customer_id = o.customer_id)
                    order by 1 limit $3) c
            order by c.id`,
          [siteId, merchantId, CUSTOMERS_AT_ONCE],
        )
        const last = rows.at(-1)
        if (last === undefined) return { outcome: 'done' } as const
        const own = rows.filter(({ is_shared: isShared }) => !isShared).map(({ id }) => id)
        const locked = await lockCustomers(client, own)
        if (locked.length < own.length) return { outcome: 'busy' } as const
        if (own.length > 0) await eraseCustomers(client, own, actor)
        await client.query('update throwaway_sites set erased_customers = $2 where site_id = $1', [
          siteId,
          last.id,
        ])
        return { outcome: 'more' } as const
      })
      return outcome
    },

    async finish({ merchantId, siteId }) {
      await inTransaction(pool, AUDITED, async (client) => {
        for (const deletion of DELETIONS) await client.query(deletion, [siteId, merchantId])
        const { rowCount } = await client.query(
          'update throwaway_sites set removed_at = now() where site_id = $1 and removed_at is null',
          [siteId],
        )
        if (rowCount === 0) return { ok: false }
        const object = `site ${siteId}`
        const entry = { actor, address: '', object, merchantId, result: 'done' } as const
        await appendAudit(client, [{ ...entry, operation: 'sandbox_site.removed', details: {} }])
        return { ok: true }
      })
    },
  }
}
