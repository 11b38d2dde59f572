import type pg from 'pg'
import { storedPrices } from '../../packages/gateway/src/adapters/postgres/fees/fee-plan-rows.ts'
import type { FeePlan } from '../../packages/gateway/src/domain/fees/fee-plan.ts'
import type { OwnerSession } from './owner-session.ts'
import { SAMPLE_MERCHANT } from './sample-merchant.ts'

const LOOK_EVERY_MS = 500
const GIVE_UP_AFTER_MS = 600_000
const MILLIONTHS_OF_PERCENT = 10_000n

/** 0.35 percent and a small amount of each sale, half of the percentage back with a refund. */
function planFrom(startsOn: string): FeePlan {
  const none = new Map<string, bigint>()
  return {
    startsOn,
    rates: [
      {
        kind: 'sale',
        brand: null,
        millionths: (35n * MILLIONTHS_OF_PERCENT) / 100n,
        fixedMinor: new Map([
          ['EUR', 5n],
          ['USD', 5n],
          ['GBP', 4n],
          ['JPY', 8n],
          ['KWD', 15n],
        ]),
      },
      {
        kind: 'sale',
        brand: 'American Express',
        millionths: (60n * MILLIONTHS_OF_PERCENT) / 100n,
        fixedMinor: none,
      },
      {
        kind: 'refund',
        brand: null,
        millionths: (-17n * MILLIONTHS_OF_PERCENT) / 100n,
        fixedMinor: none,
      },
    ],
    monthlyMinor: new Map([['EUR', 2_500n]]),
  }
}

/** Gives the sample merchant a plan of fees. `fees put` takes plans of days to come only. */
export async function planFees(pool: pg.Pool, begin: Date): Promise<void> {
  const plan = planFrom(`${begin.toISOString().slice(0, 7)}-01`)
  await pool.query(
    `insert into fee_plans (merchant_id, starts_on, prices, actor)
     select $1, $2, $3, 'sandbox'
      where not exists (select from fee_plans where merchant_id = $1)`,
    [SAMPLE_MERCHANT.id, plan.startsOn, storedPrices(plan)],
  )
}

/** Waits until the gateway has charged every closed batch of the sample. */
export async function untilFeesAreCharged(pool: pg.Pool, { call }: OwnerSession): Promise<void> {
  const since = Date.now()
  for (;;) {
    const { rows } = await pool.query<{ waiting: number }>(
      `select count(*)::int as waiting from batches b
        where merchant_id = $1 and closed_at is not null
          and not exists (select from fee_charges c
                           where c.batch_id = b.id and c.charged_at is not null)`,
      [SAMPLE_MERCHANT.id],
    )
    const waiting = rows[0]?.waiting ?? 0
    if (waiting === 0) return
    if (Date.now() - since > GIVE_UP_AFTER_MS) {
      throw new Error(`The gateway has not charged the fees of ${waiting} batches. See its log.`)
    }
    // A gateway without requests charges less often.
    await call('GET', '/settlement-sources')
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

/**
 * Dates fees by the close of their batch, and monthly ones by the end of their month, because the
 * sample's year passes in minutes. The triggers that refuse to rewrite fees are off meanwhile.
 */
export async function dateFees(pool: pg.Pool): Promise<void> {
  const tables = ['transaction_fees', 'monthly_fees'] as const
  const client = await pool.connect()
  try {
    await client.query('begin')
    for (const table of tables) {
      await client.query(`alter table ${table} disable trigger ${table}_are_append_only`)
    }
    await client.query(
      `update transaction_fees f set posted_at = b.closed_at + interval '10 minutes'
         from batches b where b.id = f.batch_id and f.merchant_id = $1`,
      [SAMPLE_MERCHANT.id],
    )
    await client.query(
      `update monthly_fees set posted_at = month + interval '1 month 10 minutes'
        where merchant_id = $1`,
      [SAMPLE_MERCHANT.id],
    )
    for (const table of tables) {
      await client.query(`alter table ${table} enable trigger ${table}_are_append_only`)
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
