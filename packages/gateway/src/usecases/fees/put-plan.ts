import { refused, type Result } from '../../base/refusal.ts'
import type { FeePlan, FeeRate } from '../../domain/fees/fee-plan.ts'
import { decidePlan, type PlanFacts } from '../../domain/fees/plan-change.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'

/** The locks, reads and writes of one change of a merchant's fees. */
export interface PlanTx extends AuditedTx {
  /** Holds the merchant's plans until the commit; null for no such merchant. */
  lockMerchant(merchantId: bigint): Promise<PlanFacts | null>
  /** The first one first. */
  readPlans(merchantId: bigint): Promise<readonly FeePlan[]>
  /** Replaces the plan that starts on the same day; gives whether there was one. */
  writePlan(merchantId: bigint, plan: FeePlan, actor: string): Promise<boolean>
}

export type PutFeePlan = (
  merchantId: bigint,
  plan: FeePlan,
  by: AuditAuthor,
) => Promise<Result<{ readonly replaced: boolean }>>

/** Stores a plan that starts on a later day; its audit entry has the prices. */
export function createPutFeePlan(transact: Transact<PlanTx>): PutFeePlan {
  return (merchantId, plan, by) =>
    transact(async (tx) => {
      const facts = await tx.lockMerchant(merchantId)
      if (facts === null) return refused('missing', `Merchant ${merchantId} does not exist.`)
      const decided = decidePlan(plan, facts)
      if (!decided.ok) return decided
      const replaced = await tx.writePlan(merchantId, plan, by.actor)
      await tx.audit([
        {
          ...by,
          operation: 'fees.plan_put',
          object: `merchant ${merchantId}`,
          merchantId,
          result: 'done',
          details: {
            startsOn: plan.startsOn,
            replaced,
            rates: plan.rates.map(rateText),
            monthly: amountTexts(plan.monthlyMinor),
          },
        },
      ])
      return { ok: true, replaced }
    })
}

function rateText({ kind, brand, millionths, fixedMinor }: FeeRate): string {
  const fixed = amountTexts(fixedMinor)
  return [`${kind} of ${brand ?? 'other brands'}: ${millionths} millionths`, ...fixed].join(', ')
}

/** Minor units with their currency. */
function amountTexts(amounts: ReadonlyMap<string, bigint>): string[] {
  return [...amounts].map(([currency, minor]) => `${minor} ${currency}`)
}
