import type pg from 'pg'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import { recordFacts, wholeFact, type Fact } from '../../../adapters/postgres/events/outbox.ts'
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
        const { rows: gone } = await client.query<DifferenceRow>(
          `update recon_differences set gone_at = now(), version = version + 1
            where merchant_id = $1 and gone_at is null and last_run_id <> $2
          returning id, order_id, currency`,
          [merchantId, id],
        )
        await recordFacts(
          client,
          gone.map((row) => differenceFact('reconciliation.cleared', merchantId, row, [])),
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
  const texts = reasons.map((reason) => reasonText(reason, amountText, order.bankCurrency))
  const { rows } = await client.query<DifferenceRow & { is_other: boolean }>(
    `insert into recon_differences as d (merchant_id, order_id, currency, bank_currency, gateway_minor, ledger_minor,
                                         bank_minor, reasons, last_run_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (merchant_id, order_id) where gone_at is null do update
        set bank_currency = excluded.bank_currency, gateway_minor = excluded.gateway_minor,
            ledger_minor = excluded.ledger_minor, bank_minor = excluded.bank_minor, reasons = excluded.reasons,
            last_seen_at = now(), last_run_id = excluded.last_run_id,
            resolved_by = case when ${SAME} then d.resolved_by end,
            resolved_at = case when ${SAME} then d.resolved_at end,
            version = case when ${SAME} then d.version else d.version + 1 end
     -- Found for the first time, or with other figures than before.
     returning id, order_id, currency,
               version <> coalesce((select b.version from recon_differences b
                                     where b.merchant_id = $1 and b.order_id = $2
                                       and b.gone_at is null), 0) as is_other`,
    [
      merchantId,
      order.orderId,
      order.currency,
      order.bankCurrency,
      minorOf(order.gateway),
      minorOf(order.ledger),
      minorOf(order.bank),
      JSON.stringify(texts),
      runId,
    ],
  )
  const [row] = rows
  if (row?.is_other === true) {
    await recordFacts(client, [differenceFact('reconciliation.difference', merchantId, row, texts)])
  }
}

interface DifferenceRow {
  readonly id: string
  readonly order_id: string
  readonly currency: string
}

function differenceFact(
  type: 'reconciliation.difference' | 'reconciliation.cleared',
  merchantId: bigint,
  row: DifferenceRow,
  reasons: readonly string[],
): Fact {
  return wholeFact(type, merchantId, BigInt(row.id), {
    mode: null,
    origin: 'GATEWAY',
    data: {
      difference_id: row.id,
      po_id: row.order_id,
      currency: row.currency,
      reasons: reasons.map((text) => ({ text })),
    },
  })
}

const SAME = `(d.gateway_minor, d.ledger_minor, d.bank_minor, d.bank_currency)
  is not distinct from (excluded.gateway_minor, excluded.ledger_minor, excluded.bank_minor, excluded.bank_currency)`

function minorOf(figures: OrderFigures | null): readonly bigint[] | null {
  return figures === null
    ? null
    : [figures.approvedMinor, figures.capturedMinor, figures.refundedMinor]
}
