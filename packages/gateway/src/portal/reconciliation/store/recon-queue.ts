import type pg from 'pg'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import type { OrderFigures } from '../../../domain/books/order-comparison.ts'
import { findCurrency } from '../../../domain/currency.ts'
import { formatMinor } from '../../../domain/money.ts'
import type { Difference } from '../../../usecases/books/reconcile.ts'
import { reasonText, type ReconQueue } from '../usecases/recon.ts'

/** A process that is at one says so more often than this. */
const SILENT = `interval '5 minutes'`

/** Comparisons that were asked for, and where what they find is kept. */
export function createReconQueue(pool: pg.Pool): ReconQueue {
  return {
    async requestDue(now) {
      await pool.query(
        // The lock of the merchant: a portal user who starts one meanwhile would see none, and
        // fail.
        `with due as (
           select m.id from recon_schedules s join merchants m on m.id = s.merchant_id
            cross join lateral (
              select date_trunc('day', $1::timestamptz, 'UTC') + s.hour * interval '1 hour' as today) d
            where not exists (
              select from recon_runs r
               where r.merchant_id = s.merchant_id and r.asked_by = 'gateway'
                 and r.asked_at >= case when d.today <= $1 then d.today else d.today - interval '1 day' end)
            order by m.id for no key update of m)
         insert into recon_runs (merchant_id, asked_by) select id, 'gateway' from due
         on conflict do nothing`,
        [now],
      )
    },
    async take() {
      const { rows } = await pool.query<{ id: string; merchant_id: string }>(
        `update recon_runs set state = 'running', doing = 'starting', orders_seen = 0, alive_at = now()
          where id = (select id from recon_runs
                       where state = 'waiting' or state = 'running' and alive_at < now() - ${SILENT}
                       order by id limit 1 for update skip locked)
        returning id, merchant_id`,
      )
      const [run] = rows
      return run === undefined ? null : { id: BigInt(run.id), merchantId: BigInt(run.merchant_id) }
    },
    async reportProgress(id, { doing, orders }) {
      await pool.query(
        `update recon_runs set doing = $2, orders_seen = $3, alive_at = now() where id = $1 and state = 'running'`,
        [id, doing, orders],
      )
    },
    async finish({ id, merchantId }, { orders, totals, differences }) {
      const asText = (_: string, value: unknown): unknown =>
        typeof value === 'bigint' ? value.toString() : value
      await inTransaction(pool, AUDITED, async (client) => {
        const { rowCount } = await client.query(
          `update recon_runs set state = 'done', finished_at = now(), orders = $2, differences = $3, totals = $4
            where id = $1 and state = 'running'`,
          [id, orders, differences.length, JSON.stringify(totals, asText)],
        )
        // Another process took it over meanwhile, and writes what it found.
        if (rowCount === 0) return { ok: false }
        for (const difference of differences) await keep(client, merchantId, id, difference)
        await client.query(
          `update recon_differences set gone_at = now(), version = version + 1
            where merchant_id = $1 and gone_at is null and last_run_id <> $2`,
          [merchantId, id],
        )
        return { ok: true }
      })
    },
    async fail(id, fault) {
      await pool.query(
        `update recon_runs set state = 'failed', finished_at = now(), fault = $2 where id = $1 and state = 'running'`,
        [id, fault],
      )
    },
    async requeue(id) {
      await pool.query(
        `update recon_runs set state = 'waiting', doing = '', orders_seen = 0 where id = $1 and state = 'running'`,
        [id],
      )
    },
  }
}

/**
 * One that was there before keeps its age, its owner and its notes. One that was resolved is
 * open again when its figures are others now.
 */
async function keep(
  client: pg.ClientBase,
  merchantId: bigint,
  runId: bigint,
  { order, reasons }: Difference,
): Promise<void> {
  const known = findCurrency(order.currency)
  const amountText = (minor: bigint): string =>
    known === null ? `${minor} ${order.currency}` : `${formatMinor(minor, known)} ${known.code}`
  await client.query(
    `insert into recon_differences as d (merchant_id, order_id, currency, bank_currency, gateway_minor, ledger_minor,
                                         bank_minor, reasons, last_run_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (merchant_id, order_id) where gone_at is null do update
        set bank_currency = excluded.bank_currency, gateway_minor = excluded.gateway_minor,
            ledger_minor = excluded.ledger_minor, bank_minor = excluded.bank_minor, reasons = excluded.reasons,
            last_seen_at = now(), last_run_id = excluded.last_run_id,
            resolved_by = case when ${SAME} then d.resolved_by end,
            resolved_at = case when ${SAME} then d.resolved_at end,
            version = case when ${SAME} then d.version else d.version + 1 end`,
    [
      merchantId,
      order.orderId,
      order.currency,
      order.bankCurrency,
      minorOf(order.gateway),
      minorOf(order.ledger),
      minorOf(order.bank),
      JSON.stringify(reasons.map((reason) => reasonText(reason, amountText, order.bankCurrency))),
      runId,
    ],
  )
}

const SAME = `(d.gateway_minor, d.ledger_minor, d.bank_minor, d.bank_currency)
  is not distinct from (excluded.gateway_minor, excluded.ledger_minor, excluded.bank_minor, excluded.bank_currency)`

function minorOf(figures: OrderFigures | null): readonly bigint[] | null {
  return figures === null
    ? null
    : [figures.approvedMinor, figures.capturedMinor, figures.refundedMinor]
}
