import type pg from 'pg'
import type { PlanFacts, PlansInForce } from '../../../domain/fees/plan-change.ts'
import type { Transact } from '../../../usecases/audit/audited-transaction.ts'
import type { PlanTx } from '../../../usecases/fees/put-plan.ts'
import { createTransact } from '../audit/admin-transaction.ts'
import { readPlans, storedPrices } from './fee-plan-rows.ts'

/** Transactions in which a merchant's plans of fees change. */
export function feePlanTransact(pool: pg.Pool): Transact<PlanTx> {
  return createTransact(pool, feePlanTx)
}

/** The same on the connection of a transaction that the caller began. */
export function feePlanTx(client: pg.ClientBase): Omit<PlanTx, 'audit'> {
  return {
    lockMerchant: (merchantId) => lockMerchant(client, merchantId),

    readPlans: (merchantId) => readPlans(client, merchantId),

    async writePlan(merchantId, plan, actor) {
      const { rows } = await client.query<{ replaced: boolean }>(
        `insert into fee_plans (merchant_id, starts_on, prices, actor) values ($1, $2, $3, $4)
         on conflict (merchant_id, starts_on) do update
           set prices = excluded.prices, actor = excluded.actor, put_at = now()
         returning xmax <> 0 as replaced`,
        [merchantId, plan.startsOn, JSON.stringify(storedPrices(plan)), actor],
      )
      return rows[0]?.replaced === true
    },
  }
}

async function lockMerchant(client: pg.ClientBase, merchantId: bigint): Promise<PlanFacts | null> {
  const { rowCount } = await client.query('select from merchants where id = $1 for no key update', [
    merchantId,
  ])
  return rowCount === 0 ? null : readPlanFacts(client, merchantId)
}

/** Holds the plans of a merchant until the commit; null for no such merchant. */
export async function lockPlans(
  client: pg.ClientBase,
  merchantId: bigint,
): Promise<PlansInForce | null> {
  const facts = await lockMerchant(client, merchantId)
  if (facts === null) return null
  return { today: facts.today, plans: await readPlans(client, merchantId) }
}

/** The facts on which a plan of a merchant is judged; null for no such merchant. */
export async function readPlanFacts(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  merchantId: bigint,
): Promise<PlanFacts | null> {
  const { rows } = await client.query<{ today: string; currencies: string[] }>(
    `select (now() at time zone m.time_zone)::date::text as today,
            array(select distinct c from merchant_accounts a, unnest(a.currencies) c
                   where a.merchant_id = m.id order by c) as currencies
       from merchants m where m.id = $1`,
    [merchantId],
  )
  return rows[0] ?? null
}
