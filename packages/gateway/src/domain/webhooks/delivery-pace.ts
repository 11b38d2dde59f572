/** How fast a process delivers webhooks. */
export interface DeliveryPace {
  /** Deliveries that one look may start. */
  readonly starts: number
  /** The pause until the next look: deliveries that end meanwhile are followed together. */
  readonly restMs: number
  /** Whether endpoints with a backlog get no further deliveries meanwhile. */
  readonly isSparing: boolean
}

/** So few payments leave room on the machine. */
const FEW_PAYMENTS = 2
const AT_EASE: DeliveryPace = { starts: 200, restMs: 10, isSparing: false }
const STARTS_BESIDE_PAYMENTS = 20
const REST_FOR_EACH_PAYMENT_MS = 20
/** Payments never stop deliveries: 50 a second go on. */
const LONGEST_REST_MS = 400

/**
 * Deliveries make way for payments: they wait in their table, and a cardholder waits for a payment.
 * @param payments requests of merchants that this process has in work or waiting
 */
export function deliveryPace(payments: number): DeliveryPace {
  if (payments <= FEW_PAYMENTS) return AT_EASE
  const restMs = Math.min(payments * REST_FOR_EACH_PAYMENT_MS, LONGEST_REST_MS)
  return { starts: STARTS_BESIDE_PAYMENTS, restMs, isSparing: true }
}
