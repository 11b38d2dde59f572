import { fixedClock } from '../../base/clock.ts'
import { isOver } from '../../domain/memberships/membership.ts'
import type { Site } from '../merchants/merchant-directory.ts'
import type { PaymentCommand } from '../payments/payment-command.ts'
import { plainPayment } from '../payments/plain-payment.ts'
import type { OpenCharge } from './renewal-store.ts'

/**
 * A due renewal as a payment: merchant-initiated, for a subscription, with the networks' reference
 * of the first payment, without a security code, and never twice.
 */
export function renewalCommand(
  { bankTest, stored, charge, identity }: OpenCharge,
  site: Site,
  requestId: bigint,
): PaymentCommand {
  const { membership } = stored
  const plain = plainPayment({
    kind: 'sale',
    requestId,
    // Rules against card testing and the catalogue concern customers who buy. Moments that a moving
    // clock has passed are processed as of then.
    site: { ...site, cardTesting: null, catalogue: 'open', clock: fixedClock(charge.at) },
    merchantAccountId: stored.merchantAccountId,
    currency: charge.amount.currency,
    lines: [
      {
        product: membership.product.productId,
        merchantProduct: '',
        count: 1,
        amountMinor: charge.amount.minor,
        membershipId: stored.id,
      },
    ],
    totalMinor: charge.amount.minor,
    card: {
      kind: 'saved',
      customerId: stored.customerId,
      selector: { by: 'id', id: charge.cardId },
      expiry: null,
      cvv: null,
    },
  })
  return {
    ...plain,
    // There is no customer there who could have typed either.
    avsMode: 'F',
    cvvMode: 'F',
    initiation: {
      ...plain.initiation,
      initiator: 'merchant',
      recurring: 'rebill',
      membershipReference: stored.reference,
      originalNetworkTransactionId: stored.networkTransactionId,
    },
    bankTest,
    renewal: { ...identity, isOver: isOver(membership) },
  }
}
