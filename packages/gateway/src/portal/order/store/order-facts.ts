import type pg from 'pg'
import { appendAudit } from '../../../adapters/postgres/audit/audit-log.ts'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import { portalUserActor } from '../../shell/usecases/portal-user.ts'
import type { AdjustDeps, LastChange } from '../usecases/adjust.ts'
import type { NoteStore, NoteWritten } from '../usecases/notes.ts'

const DID: Readonly<Record<string, string>> = {
  capture: 'capture',
  refund: 'refund',
  void: 'void',
  capture_void: 'void of captures',
  authorization: 'authorization',
  sale: 'sale',
}

/** The queries about an order when a user changes it. */
export function createOrderFacts(pool: pg.Pool): AdjustDeps['orders'] {
  return {
    async findHead(merchantId, orderId) {
      const { rows } = await pool.query<{ site_id: string; currency: string }>(
        'select site_id, currency from orders where id = $1 and merchant_id = $2',
        [orderId, merchantId],
      )
      const [row] = rows
      return row === undefined ? null : { siteId: BigInt(row.site_id), currency: row.currency }
    },
    async readSums(orderId) {
      const { rows } = await pool.query<Record<string, string>>(
        'select authorized_minor, captured_minor, voided_minor, refunded_minor from orders where id = $1',
        [orderId],
      )
      const sum = (name: string): bigint => BigInt(rows[0]?.[name] ?? 0)
      return {
        authorizedMinor: sum('authorized_minor'),
        capturedMinor: sum('captured_minor'),
        voidedMinor: sum('voided_minor'),
        refundedMinor: sum('refunded_minor'),
      }
    },
    async lastChange(orderId): Promise<LastChange | null> {
      const { rows } = await pool.query<{
        kind: string
        value_minor: string
        created_at: Date
        by: string | null
      }>(
        `select t.kind, t.value_minor, t.created_at, coalesce(p.name, r.username) as by
           from transactions t
           left join portal_operations a on a.request_id = t.request_id
           left join portal_users p on p.id = a.portal_user_id
           left join requests r on r.id = t.request_id
          where t.order_id = $1 and t.state = 'approved' order by t.created_at desc, t.id desc limit 1`,
        [orderId],
      )
      const [row] = rows
      if (row === undefined) return null
      return {
        did: DID[row.kind] ?? row.kind,
        amountMinor: BigInt(row.value_minor),
        by: row.by === null || row.by === '' ? 'a program of the shop' : row.by,
        at: row.created_at,
      }
    },
    async returnedBy(portalUserId, orderId) {
      const { rows } = await pool.query<{ returned: string }>(
        `select coalesce(sum(l.amount_minor), 0) as returned
           from portal_operations a
           join transactions t on t.order_id = a.order_id and t.request_id = a.request_id
           join ledger_postings l on l.order_id = t.order_id and l.transaction_id = t.id
          where a.order_id = $2 and a.portal_user_id = $1 and l.kind in ('refund', 'capture_void')`,
        [portalUserId, orderId],
      )
      return BigInt(rows[0]?.returned ?? 0)
    },
  }
}

/** Notes of users about orders; dated by the site's clock, as the order's own events are. */
export function createNoteStore(pool: pg.Pool): NoteStore {
  return {
    async write(portalUser, address, { orderId, key, text }) {
      const { written } = await inTransaction(
        pool,
        AUDITED,
        async (client): Promise<{ ok: boolean; written: NoteWritten }> => {
          const { rows: orders } = await client.query<{ site_id: string }>(
            'select site_id from orders where id = $1 and merchant_id = $2',
            [orderId, portalUser.merchantId],
          )
          const [order] = orders
          if (order === undefined) return { ok: false, written: 'unknown' }
          const { rowCount } = await client.query(
            `insert into order_notes (merchant_id, order_id, portal_user_id, text, key, written_at)
           values ($1, $2, $3, $4, $5, site_time($6, now())) on conflict (merchant_id, key) do nothing`,
            [portalUser.merchantId, orderId, portalUser.id, text, key, order.site_id],
          )
          if (rowCount !== 1) {
            const { rowCount: same } = await client.query(
              'select from order_notes where merchant_id = $1 and key = $2 and order_id = $3 and text = $4',
              [portalUser.merchantId, key, orderId, text],
            )
            return { ok: false, written: same === 1 ? 'written' : 'key_reused' }
          }
          await appendAudit(client, [
            {
              actor: portalUserActor(portalUser),
              operation: 'order.noted',
              object: `order ${orderId}`,
              merchantId: portalUser.merchantId,
              address,
              result: 'done',
              details: { length: text.length },
            },
          ])
          return { ok: true, written: 'written' }
        },
      )
      return written
    },
  }
}
