import type { DisputeCase, Notice } from '../books/dispute-note.ts'
import { codeOf } from '../issuer/currencies.ts'
import { shortKey } from '../settlement/movement-lines.ts'
import { amountText } from '../settlement/settlement-text.ts'
import type { Step } from './case-steps.ts'

/** The notices of steps, numbered behind the known ones. `at` is UTC, ISO 8601. */
export function noticesOf(
  merchant: string,
  known: readonly Notice[],
  steps: readonly Step[],
  at: string,
): Notice[] {
  return steps.map(({ after, answer, event }, index) => {
    const n = known.length + 1 + index
    return {
      n,
      id: `${merchant}-D${n}`,
      at,
      case: after.id,
      event,
      ...factsOf(after),
      ...(after.due === '' ? {} : { network_due: after.due }),
      ...(answer === undefined ? {} : { answer }),
    }
  })
}

function factsOf({ brand, capture, currency, minor, order, reason, rrn }: DisputeCase) {
  return {
    order: shortKey(order),
    ...(rrn === '' ? {} : { rrn }),
    ref: shortKey(capture),
    brand,
    amount: amountText(BigInt(minor), currency),
    currency: codeOf(currency),
    reason,
  }
}
