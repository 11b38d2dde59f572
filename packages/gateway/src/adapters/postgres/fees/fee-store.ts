import type pg from 'pg'
import type { FeePlan } from '../../../domain/fees/fee-plan.ts'
import type {
  ChargeableTransaction,
  FeeStore,
  MonthlyFees,
  TransactionFee,
} from '../../../usecases/fees/charge-fees.ts'
import { inTransaction } from '../connection/transaction.ts'
import { readPlans } from './fee-plan-rows.ts'

const AT_ONCE = 1_000

/** Fees in the database. */
export function createFeeStore(pool: pg.Pool): FeeStore {
  return {
    async findBatch() {
      const { rows } = await pool.query<{ id: string }>(
        `select b.id
           from batches b
           join merchants m on m.id = b.merchant_id
          where b.merchant_id in (select merchant_id from fee_plans)
            and b.closed_at is not null and b.agreement in ('none', 'agreed', 'differing')
            and exists (select from fee_plans p
                         where p.merchant_id = b.merchant_id
                           and p.starts_on <= (b.closed_at at time zone m.time_zone)::date)
            and not exists (select from fee_charges c
                             where c.batch_id = b.id and c.charged_at is not null)
          order by b.id limit 1`,
      )
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },

    chargeBatch: (batchId, price) =>
      inTransaction(pool, null, async (client) => {
        const charge = await holdCharge(client, batchId)
        if (charge === null) return false
        const transactions = await readTransactions(client, batchId, charge.after)
        const plans = await readPlans(client, charge.merchantId)
        const fees = price(plans, transactions)
        await insertFees(client, batchId, charge.merchantId, fees)
        await client.query(
          `update fee_charges
              set after_transaction_id = $2, fees = fees + $3,
                  charged_at = case when $4 then now() end
            where batch_id = $1`,
          [
            batchId,
            transactions.at(-1)?.id ?? charge.after,
            fees.length,
            transactions.length < AT_ONCE,
          ],
        )
        return true
      }),

    async findMerchants(now) {
      const { rows } = await pool.query<{ id: string }>(
        `select m.id
           from merchants m
           join (select merchant_id, min(starts_on) as first from fee_plans group by 1) p
             on p.merchant_id = m.id
           left join fee_months f on f.merchant_id = m.id
          cross join lateral
            (select date_trunc('month', $1::timestamptz at time zone m.time_zone)::date as begins) c
          where coalesce(f.month + interval '1 month', date_trunc('month', p.first)) < c.begins
          order by m.id`,
        [now],
      )
      return rows.map(({ id }) => BigInt(id))
    },

    chargeMonths: (merchantId, now, price) =>
      inTransaction(pool, null, async (client) => {
        await client.query('select from merchants where id = $1 for no key update', [merchantId])
        const { rows } = await client.query<{ today: string; month: string | null }>(
          `select ($2::timestamptz at time zone m.time_zone)::date::text as today,
                  f.month::text as month
             from merchants m left join fee_months f on f.merchant_id = m.id
            where m.id = $1`,
          [merchantId, now],
        )
        const [found] = rows
        if (found === undefined) return
        const months = price(await readPlans(client, merchantId), found.month, found.today)
        for (const month of months) await insertMonth(client, merchantId, month)
      }),
  }
}

/** Holds the batch's charge; null where another process holds it or it is done. */
async function holdCharge(
  client: pg.ClientBase,
  batchId: bigint,
): Promise<{ readonly merchantId: bigint; readonly after: bigint } | null> {
  await client.query(
    `insert into fee_charges (batch_id, merchant_id)
       select id, merchant_id from batches where id = $1 on conflict do nothing`,
    [batchId],
  )
  const { rows } = await client.query<{ merchant_id: string; after: string }>(
    `select merchant_id, after_transaction_id as after from fee_charges
      where batch_id = $1 and charged_at is null for update skip locked`,
    [batchId],
  )
  const [row] = rows
  if (row === undefined) return null
  return { merchantId: BigInt(row.merchant_id), after: BigInt(row.after) }
}

async function readTransactions(
  client: pg.ClientBase,
  batchId: bigint,
  after: bigint,
): Promise<readonly ChargeableTransaction[]> {
  const { rows } = await client.query<{
    id: string
    kind: ChargeableTransaction['kind']
    brand: string
    currency: string
    amount: string
    day: string
  }>(
    `select t.id, case t.kind when 'refund' then 'refund' else 'sale' end as kind, p.brand,
            o.currency, t.value_minor - t.voided_minor as amount,
            (t.concluded_at at time zone m.time_zone)::date::text as day
       from transactions t
       join orders o on o.id = t.order_id
       join payment_methods p on p.id = o.payment_method_id
       join merchants m on m.id = t.merchant_id
      where t.batch_id = $1 and t.kind in ('sale', 'capture', 'refund') and t.state = 'approved'
        and t.id > $2
      order by t.id limit ${AT_ONCE}`,
    [batchId, after],
  )
  return rows.map(({ id, amount, ...row }) => ({
    ...row,
    id: BigInt(id),
    amountMinor: BigInt(amount),
  }))
}

async function insertFees(
  client: pg.ClientBase,
  batchId: bigint,
  merchantId: bigint,
  fees: readonly TransactionFee[],
): Promise<void> {
  if (fees.length === 0) return
  await client.query(
    `insert into transaction_fees (transaction_id, merchant_id, batch_id, kind, brand,
                                   plan_starts_on, day, currency, amount_minor, fee_minor)
       select f.id, $2, $1, f.kind, f.brand, f.starts_on, f.day, f.currency, f.amount, f.fee
         from unnest($3::bigint[], $4::text[], $5::text[], $6::date[], $7::date[], $8::text[],
                     $9::bigint[], $10::bigint[])
              as f(id, kind, brand, starts_on, day, currency, amount, fee)`,
    [
      batchId,
      merchantId,
      fees.map(({ transaction }) => transaction.id.toString()),
      fees.map(({ transaction }) => transaction.kind),
      fees.map(({ transaction }) => transaction.brand),
      fees.map(({ startsOn }) => startsOn),
      fees.map(({ transaction }) => transaction.day),
      fees.map(({ transaction }) => transaction.currency),
      fees.map(({ transaction }) => transaction.amountMinor.toString()),
      fees.map(({ feeMinor }) => feeMinor.toString()),
    ],
  )
}

async function insertMonth(
  client: pg.ClientBase,
  merchantId: bigint,
  { month, startsOn, amounts }: MonthlyFees,
): Promise<void> {
  for (const [currency, minor] of amounts) {
    await client.query(
      `insert into monthly_fees (merchant_id, month, currency, plan_starts_on, fee_minor)
       values ($1, $2, $3, $4, $5)`,
      [merchantId, month, currency, startsOn, minor],
    )
  }
  await client.query(
    `insert into fee_months (merchant_id, month) values ($1, $2)
     on conflict (merchant_id) do update set month = excluded.month`,
    [merchantId, month],
  )
}

/** Fees of one month, added up. */
export interface FeeSum {
  readonly currency: string
  readonly kind: 'sale' | 'refund' | 'monthly'
  /** '' for monthly fees. */
  readonly brand: string
  readonly count: number
  /** The sum of the transactions; 0 for monthly fees. Minor units. */
  readonly amountMinor: bigint
  readonly feeMinor: bigint
}

/** The fees of a merchant for a month, given as its first day, by currency, kind and brand. */
export async function sumFees(
  pool: pg.Pool,
  merchantId: bigint,
  month: string,
): Promise<readonly FeeSum[]> {
  const { rows } = await pool.query<{
    currency: string
    kind: FeeSum['kind']
    brand: string
    count: number
    amount: string
    fee: string
  }>(
    `select currency, kind, brand, count(*)::int as count, sum(amount_minor) as amount,
            sum(fee_minor) as fee
       from transaction_fees
      where merchant_id = $1 and day >= $2::date and day < $2::date + interval '1 month'
      group by currency, kind, brand
     union all
     select currency, 'monthly', '', 1, 0, fee_minor
       from monthly_fees where merchant_id = $1 and month = $2::date
     order by currency, kind desc, brand`,
    [merchantId, month],
  )
  return rows.map(({ amount, fee, ...row }) => ({
    ...row,
    amountMinor: BigInt(amount),
    feeMinor: BigInt(fee),
  }))
}

/** The plans of every merchant. */
export async function listPlans(
  pool: pg.Pool,
): Promise<readonly { readonly merchantId: bigint; readonly plans: readonly FeePlan[] }[]> {
  const { rows } = await pool.query<{ merchant_id: string }>(
    'select distinct merchant_id from fee_plans order by merchant_id',
  )
  return Promise.all(
    rows.map(async (row) => {
      const merchantId = BigInt(row.merchant_id)
      return { merchantId, plans: await readPlans(pool, merchantId) }
    }),
  )
}
