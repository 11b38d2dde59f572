import type { Pool } from 'pg'
import { readFeePlanFile } from '../adapters/operator-files/fee-plan-file.ts'
import { feePlanTransact } from '../adapters/postgres/fees/fee-plan-store.ts'
import {
  createFeeStore,
  listPlans,
  sumFees,
  type FeeSum,
} from '../adapters/postgres/fees/fee-store.ts'
import type { Result } from '../base/refusal.ts'
import type { FeePlan } from '../domain/fees/fee-plan.ts'
import { chargeFees } from '../usecases/fees/charge-fees.ts'
import { createPutFeePlan } from '../usecases/fees/put-plan.ts'
import type { Foundation } from './foundation.ts'
import { operatorActor } from './operator-actor.ts'
import type { Part } from './part.ts'

export type { FeeSum } from '../adapters/postgres/fees/fee-store.ts'
export type { FeePlan } from '../domain/fees/fee-plan.ts'

/** Fees are posted within this long after a batch or a month ends. */
const LOOK_EVERY_MS = 60_000

/** Posts the operator's fees. */
export function wireFees({ database, clock }: Foundation): Part {
  const store = createFeeStore(database.pool)
  return {
    jobs: [
      { name: 'charge fees', everyMs: LOOK_EVERY_MS, run: () => chargeFees(store, clock.now()) },
    ],
  }
}

/** An operator's operations on the fees of merchants. */
export interface FeeOperator {
  /** Every plan, by merchant. */
  list(): Promise<readonly { readonly merchantId: bigint; readonly plans: readonly FeePlan[] }[]>
  /** Stores the plan of a file's text. */
  put(
    text: string,
  ): Promise<
    Result<{ readonly merchantId: bigint; readonly startsOn: string; readonly replaced: boolean }>
  >
  /** Fees posted for a month, given as its first day. */
  sums(merchantId: bigint, month: string): Promise<readonly FeeSum[]>
}

export function createFeeOperator(pool: Pool): FeeOperator {
  return {
    list: () => listPlans(pool),
    async put(text) {
      const read = readFeePlanFile(text)
      if (!read.ok) return read
      const { merchantId, plan } = read
      const by = { actor: operatorActor() }
      const put = await createPutFeePlan(feePlanTransact(pool))(merchantId, plan, by)
      return put.ok ? { ...put, merchantId, startsOn: plan.startsOn } : put
    },
    sums: (merchantId, month) => sumFees(pool, merchantId, month),
  }
}
