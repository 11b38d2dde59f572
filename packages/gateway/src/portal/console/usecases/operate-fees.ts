import { refused, type Result } from '../../../base/refusal.ts'
import type { FeePlan } from '../../../domain/fees/fee-plan.ts'
import { decidePlan, type PlanFacts } from '../../../domain/fees/plan-change.ts'
import { noSuchMerchant } from '../../../domain/merchants/merchant-change.ts'
import { seenPlans } from '../domain/changed-limits.ts'
import { cardTextFault } from '../domain/new-merchant-parts.ts'
import type { ConsoleRequester } from './console-operator.ts'
import { merchantUseCases, rightFault, type DoneOrRequested } from './operate-merchants.ts'
import type { OperatorsStore } from './operators-store.ts'
import { requestOperation } from './request-operation.ts'

/** The plans of a merchant, with the facts on which a new one is judged. */
export interface MerchantFees extends PlanFacts {
  readonly merchantName: string
  readonly liveSites: number
  /** The first one first. */
  readonly plans: readonly FeePlan[]
  /** Origin and time of each plan, by the day on which it starts. */
  readonly put: ReadonlyMap<string, { readonly by: string; readonly at: Date }>
}

/** Reads the plan of a file's text, as the command does. */
export type ReadFeePlan = (
  text: string,
) => Result<{ readonly merchantId: bigint; readonly plan: FeePlan }>

/** Plans of fees at the console, by the rules of the commands. */
export interface OperateFees {
  /** Null for no such merchant. */
  read(merchantId: bigint): Promise<MerchantFees | null>
  /** Judges the text of a plan, and stores nothing. `fees` are those without the plan. */
  judge(
    merchantId: bigint,
    text: string,
  ): Promise<Result<{ readonly plan: FeePlan; readonly fees: MerchantFees }>>
  /** Stores a plan; for a merchant with a live site, a second operator confirms it. */
  put(
    requester: ConsoleRequester,
    merchantId: bigint,
    text: string,
    reason: string,
  ): Promise<DoneOrRequested>
}

export function createOperateFees(
  { transact }: Pick<OperatorsStore, 'transact'>,
  readFees: (merchantId: bigint) => Promise<MerchantFees | null>,
  readPlan: ReadFeePlan,
): OperateFees {
  return {
    read: readFees,

    async judge(merchantId, text) {
      const fees = await readFees(merchantId)
      if (fees === null) return noSuchMerchant(merchantId)
      const read = planOfText(readPlan, merchantId, text)
      if (!read.ok) return read
      const decided = decidePlan(read.plan, fees)
      return decided.ok ? { ok: true, plan: read.plan, fees } : decided
    },

    put: (requester, merchantId, text, reason) =>
      transact<DoneOrRequested>(async (tx) => {
        const fault = await rightFault(tx, requester)
        if (fault !== null) return fault
        const read = planOfText(readPlan, merchantId, text)
        if (!read.ok) return read
        const { plan } = read
        const facts = await tx.fees.lockMerchant(merchantId)
        const merchant = await tx.merchants.lockMerchant(merchantId)
        if (facts === null || merchant === null) return noSuchMerchant(merchantId)
        const decided = decidePlan(plan, facts)
        if (!decided.ok) return decided
        if ((await tx.countLiveSites(merchantId)) > 0) {
          const operation = { does: 'set_fees', merchantId, plan } as const
          const seen = seenPlans(await tx.fees.readPlans(merchantId))
          return requestOperation(tx, requester, operation, { label: merchant.name, seen, reason })
        }
        const put = await merchantUseCases(tx).fees(merchantId, plan, requester)
        return put.ok ? { ok: true, done: true } : put
      }),
  }
}

/** The plan of a text, if it is one of this merchant. No sentence repeats a card number. */
function planOfText(
  readPlan: ReadFeePlan,
  merchantId: bigint,
  text: string,
): Result<{ readonly plan: FeePlan }> {
  const read = readPlan(text)
  // An escaped number shows in the sentences only.
  const fault = cardTextFault({ text: read.ok ? text : [text, ...read.faults].join('\n') })
  if (fault !== null) return fault
  if (!read.ok) return read
  if (read.merchantId === merchantId) return read
  const sentence = `The plan is for merchant ${read.merchantId}; expected merchant ${merchantId}.`
  return refused('invalid', `${sentence} Change merchantId, or open the page of that merchant.`)
}
