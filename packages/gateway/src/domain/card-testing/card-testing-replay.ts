import {
  count,
  counterName,
  isCardDecline,
  isFull,
  subjectValue,
  type CardTestingRule,
  type Counter,
  type SubjectFacts,
} from './card-testing.ts'

/** The effect that rules would have had on payments of the past. */
export interface Replay {
  /** Payments must come in the sequence of their time. */
  add(payment: {
    readonly atMs: number
    readonly rules: 'all' | 'card' | 'none'
    readonly facts: SubjectFacts
    readonly state: string
    readonly serviceCode: number
  }): void
  result(): ReplayResult
}

export interface ReplayResult {
  /** How many payments rules look at, of how many there were. */
  readonly payments: number
  readonly screened: number
  readonly refused: number
  /** Refused payments that the bank approved: customers whom the rules would have turned away. */
  readonly refusedApproved: number
  readonly byRule: ReadonlyMap<
    string,
    { readonly refused: number; readonly refusedApproved: number }
  >
}

/** Tries rules on payments that happened, as `judge_card_testing` would have judged them. */
export function replay(
  rules: readonly CardTestingRule[],
  exceptAddresses: readonly string[],
): Replay {
  const counters = new Map<string, Counter>()
  const byRule = new Map(rules.map(({ name }) => [name, { refused: 0, refusedApproved: 0 }]))
  const total = { payments: 0, screened: 0, refused: 0, refusedApproved: 0 }

  return {
    add({ atMs, rules: which, facts, state, serviceCode }) {
      total.payments += 1
      const counted = rules.flatMap((rule) => {
        if (which === 'none' || (which === 'card' && rule.subject !== 'card')) return []
        const value = subjectValue(rule, facts, exceptAddresses)
        return value === null ? [] : [{ rule, key: `${counterName(rule)} ${value}` }]
      })
      if (counted.length === 0) return
      total.screened += 1
      const card = facts.fingerprint
      const full = counted.filter(({ rule, key }) => isFull(rule, counters.get(key), card, atMs))
      if (full.length > 0) {
        const approved = state === 'approved' ? 1 : 0
        for (const tally of [total, ...full.map(({ rule }) => byRule.get(rule.name))]) {
          if (tally === undefined) continue
          tally.refused += 1
          tally.refusedApproved += approved
        }
        return
      }
      const declined = isCardDecline(state, serviceCode)
      for (const { rule, key } of counted) {
        if (rule.counts === 'declines' && !declined) continue
        counters.set(key, count(rule, counters.get(key), card, atMs))
      }
    },
    result: () => ({ ...total, byRule }),
  }
}
