/** One order's money in one set of books, in minor units of the order's currency. */
export interface OrderFigures {
  /** Authorized less voided: the most that captures may take in all. */
  readonly approvedMinor: bigint
  /** Captured and not voided. */
  readonly capturedMinor: bigint
  readonly refundedMinor: bigint
}

/** An order as three sets of books have it; null where one does not know it. */
export interface OrderInBooks {
  /** Null for an order that only the bank knows. */
  readonly orderId: bigint | null
  /** Acquirer, terminal, STAN and time, as the bank knows the order. */
  readonly bankKey: string
  /** Alphabetic code; '' where the only one that knows the order gave none. */
  readonly currency: string
  /** Set where the bank has the order in another currency. */
  readonly bankCurrency: string | null
  readonly gateway: OrderFigures | null
  readonly ledger: OrderFigures | null
  readonly bank: OrderFigures | null
}

/** Facts that could explain a difference, read once the difference has proved to last. */
export interface OrderFacts {
  /** Milliseconds for which the order's transaction has been running; null when none is. */
  readonly runningMs: number | null
  readonly advices: readonly AdviceFacts[]
}

export interface AdviceFacts {
  readonly kind: 'capture' | 'refund' | 'reversal'
  readonly sequence: number
  readonly amountMinor: bigint
  /** Still to be acknowledged, or acknowledged with a refusal. */
  readonly state: 'queued' | 'refused'
  readonly tries: number
  readonly ageMs: number
  readonly responseCode: string
}

export type DifferenceReason =
  | { readonly kind: 'unknown_to_gateway' }
  | { readonly kind: 'ledger_differs' }
  | { readonly kind: 'currency_differs' }
  | { readonly kind: 'transaction_running'; readonly ageMs: number }
  | ({ readonly kind: 'advice_queued' | 'reversal_pending' | 'advice_refused' } & {
      readonly advice: AdviceFacts
    })
  | { readonly kind: 'unknown_to_bank' }
  | { readonly kind: 'unexplained' }

const NOTHING: OrderFigures = { approvedMinor: 0n, capturedMinor: 0n, refundedMinor: 0n }

/**
 * Whether the books differ about an order. An order without money need not be known to the bank,
 * nor to the ledger: a refused one leaves nothing behind there.
 */
export function booksDiffer(order: OrderInBooks): boolean {
  return ledgerDiffers(order) || bankDiffers(order)
}

/** Every reason that can be found for a difference, the gravest first; never none. */
export function explainDifference(order: OrderInBooks, facts: OrderFacts): DifferenceReason[] {
  if (order.gateway === null) return [{ kind: 'unknown_to_gateway' }]
  const reasons: DifferenceReason[] = []
  if (ledgerDiffers(order)) reasons.push({ kind: 'ledger_differs' })
  if (!bankDiffers(order)) return reasons
  if (order.bankCurrency !== null) reasons.push({ kind: 'currency_differs' })

  for (const advice of facts.advices) {
    if (advice.state === 'refused') reasons.push({ kind: 'advice_refused', advice })
    else {
      const kind = advice.kind === 'reversal' ? 'reversal_pending' : 'advice_queued'
      reasons.push({ kind, advice })
    }
  }
  if (facts.runningMs !== null) {
    reasons.push({ kind: 'transaction_running', ageMs: facts.runningMs })
  }
  if (order.bank === null) reasons.push({ kind: 'unknown_to_bank' })
  else if (reasons.length === 0) reasons.push({ kind: 'unexplained' })
  return reasons
}

function ledgerDiffers({ gateway, ledger }: OrderInBooks): boolean {
  return !sameFigures(gateway ?? NOTHING, ledger ?? NOTHING)
}

function bankDiffers({ gateway, bank, bankCurrency }: OrderInBooks): boolean {
  if (gateway === null) return true
  return bankCurrency !== null || !sameFigures(gateway, bank ?? NOTHING)
}

function sameFigures(left: OrderFigures, right: OrderFigures): boolean {
  return (
    left.approvedMinor === right.approvedMinor &&
    left.capturedMinor === right.capturedMinor &&
    left.refundedMinor === right.refundedMinor
  )
}
