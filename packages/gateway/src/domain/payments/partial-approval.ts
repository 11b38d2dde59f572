import { invariant } from '../../base/invariant.ts'

export interface ApprovalRequest {
  /** All amounts in minor units of one currency. */
  readonly requested: bigint
  readonly approved: bigint
  readonly partialAllowed: boolean
  /** The least amount worth taking; null: any positive amount. */
  readonly minimum: bigint | null
}

/**
 * Whether the amount that a bank approved can be taken. 'partial_refused' means that the
 * authorization has to be reversed. Less was approved than the merchant takes, or more than was
 * requested, which no bank should do and no merchant can owe.
 */
export function decideApproval(request: ApprovalRequest): 'full' | 'partial' | 'partial_refused' {
  const { requested, approved, partialAllowed, minimum } = request
  if (approved === requested) return 'full'
  if (!partialAllowed || approved <= 0n || approved > requested) return 'partial_refused'
  return minimum === null || approved >= minimum ? 'partial' : 'partial_refused'
}

/** The processor's code and text of a partial approval that is refused, as processors name it. */
export const REFUSED_PART = { processorCode: '10', processorAdvice: 'ApprvLesserAmt' } as const

/**
 * Line amounts that add up to the approved amount. The shortfall is taken from the last line, then
 * from the one before it, and so on. No line grows and none goes below zero.
 */
export function reduceLines(lines: readonly bigint[], approved: bigint): bigint[] {
  const reduced = [...lines]
  let shortfall = -approved
  for (const amount of lines) shortfall += amount
  invariant(approved >= 0n && shortfall >= 0n, 'An approval is above the sum of its lines.')

  for (let index = reduced.length - 1; index >= 0 && shortfall > 0n; index -= 1) {
    const amount = reduced[index] ?? 0n
    const taken = amount < shortfall ? amount : shortfall
    reduced[index] = amount - taken
    shortfall -= taken
  }
  return reduced
}
