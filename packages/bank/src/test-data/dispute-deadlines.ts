/** The stages in which the merchant's side has something to answer. */
export const ANSWERED_STAGES = ['inquiry', 'chargeback', 'pre_arbitration', 'arbitration'] as const

export type AnsweredStage = (typeof ANSWERED_STAGES)[number]

/** Calendar days from the day of the notice to the network's limit for an answer. */
export type StageDays = Readonly<Record<AnsweredStage, number>>

export interface DeadlinePlan {
  /** The first day of notices for which the plan counts, `YYYY-MM-DD`. */
  readonly from: string
  /** By tag BR in small letters; `other` for every other brand. */
  readonly brands: Readonly<Record<string, StageDays>> & { readonly other: StageDays }
}

/** The plans by their first days. New limits are a new plan: earlier notices keep theirs. */
export const DISPUTE_DEADLINES: readonly [DeadlinePlan, ...DeadlinePlan[]] = [
  {
    from: '2020-01-01',
    brands: {
      visa: { inquiry: 30, chargeback: 30, pre_arbitration: 30, arbitration: 10 },
      mastercard: { inquiry: 30, chargeback: 45, pre_arbitration: 30, arbitration: 45 },
      other: { inquiry: 20, chargeback: 20, pre_arbitration: 20, arbitration: 10 },
    },
  },
]

/** The days for an answer at a stage that begins on a day, `YYYY-MM-DD`. */
export function answerDays(
  brand: string,
  stage: AnsweredStage,
  day: string,
  plans: readonly [DeadlinePlan, ...DeadlinePlan[]] = DISPUTE_DEADLINES,
): number {
  const { brands } = plans.findLast(({ from }) => from <= day) ?? plans[0]
  return (Object.hasOwn(brands, brand) ? (brands[brand] ?? brands.other) : brands.other)[stage]
}
