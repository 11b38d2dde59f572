import type pg from 'pg'
import { readPlans } from '../../../adapters/postgres/fees/fee-plan-rows.ts'
import { readPlanFacts } from '../../../adapters/postgres/fees/fee-plan-store.ts'
import type { MerchantFees } from '../usecases/operate-fees.ts'

/** Reads the plans of fees of a merchant; null for no such merchant. */
export async function readMerchantFees(
  pool: pg.Pool,
  merchantId: bigint,
): Promise<MerchantFees | null> {
  const { rows } = await pool.query<{ name: string; live_sites: number }>(
    `select m.name, (select count(*)::int from sites s
                      where s.merchant_id = m.id and s.mode = 'live') as live_sites
       from merchants m where m.id = $1`,
    [merchantId],
  )
  const [merchant] = rows
  const [facts, plans, put] = await Promise.all([
    readPlanFacts(pool, merchantId),
    readPlans(pool, merchantId),
    pool.query<{ starts_on: string; actor: string; put_at: Date }>(
      'select starts_on::text, actor, put_at from fee_plans where merchant_id = $1',
      [merchantId],
    ),
  ])
  if (merchant === undefined || facts === null) return null
  return {
    ...facts,
    merchantName: merchant.name,
    liveSites: merchant.live_sites,
    plans,
    put: new Map(put.rows.map((row) => [row.starts_on, { by: row.actor, at: row.put_at }])),
  }
}
