import { InvariantError } from '../../base/invariant.ts'

/** Why an approval is reversed, with the stored code, which the bank gets in DE 48 RR. */
const CODES = {
  void: 'VD',
  unknown_outcome: 'TO',
  avs_rule: 'AV',
  cvv_rule: 'CV',
  partial_refused: 'PA',
  expired: 'EX',
} as const

export type ReversalReason = keyof typeof CODES

/** All of them. */
export const REVERSAL_REASONS = Object.keys(CODES) as ReversalReason[]

/** The code of a reason, of two letters. */
export function reversalCode(reason: ReversalReason): string {
  return CODES[reason]
}

/** The reason of a stored code; InvariantError for an unknown one. */
export function reversalReason(code: string): ReversalReason {
  const reason = REVERSAL_REASONS.find((one) => CODES[one] === code)
  if (reason === undefined) {
    throw new InvariantError(`The stored reason of a reversal is ${JSON.stringify(code)}.`)
  }
  return reason
}
