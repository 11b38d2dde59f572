import { fixedClock } from '../../base/clock.ts'
import { isOver } from '../../domain/memberships/membership.ts'
import type { Site } from '../merchants/merchant-directory.ts'
import type { PaymentCommand, PostalAddress } from '../payments/payment-command.ts'
import type { OpenCharge } from './renewal-store.ts'

/**
 * A due renewal as a payment: the merchant's own, for a subscription, with what the networks know
 * the first payment by, without a security code, and never twice.
 */
export function renewalCommand(
  { stored, charge, identity }: OpenCharge,
  site: Site,
  requestId: bigint,
): PaymentCommand {
  const { membership } = stored
  return {
    kind: 'sale',
    requestId,
    userId: NOBODY,
    // Rules against card testing and the catalogue are for those who come to buy; what a clock that
    // is moved has passed by happens as of then.
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
    definition: null,
    card: {
      kind: 'saved',
      customerId: stored.customerId,
      selector: { by: 'id', id: charge.cardId },
      expiry: null,
      cvv: null,
    },
    customer: {
      reference: '',
      firstName: '',
      lastName: '',
      email: '',
      phone: '',
      login: '',
      ipAddress: '',
      others: {},
    },
    billing: NO_ADDRESS,
    shipping: NO_ADDRESS,
    orderReference: '',
    duplicates: 'allow',
    // There is no customer there who could have typed either.
    avsMode: 'F',
    cvvMode: 'F',
    avsMatchSet: null,
    cvvMatchSet: null,
    partial: { allowed: false, minimumMinor: null },
    initiation: {
      initiator: 'merchant',
      recurring: 'rebill',
      instalment: false,
      rebillType: null,
      membershipReference: '',
      trialConsent: false,
      originalNetworkTransactionId: stored.networkTransactionId,
    },
    threeDs: null,
    processorUdf1: '',
    processorUdf2: '',
    maxWaitS: null,
    descriptor: { name: '', city: '', phone: '' },
    extras: {},
    renewal: { ...identity, isOver: isOver(membership) },
  }
}

const NOBODY = 0n

const NO_ADDRESS: PostalAddress = {
  street: '',
  street2: '',
  city: '',
  state: '',
  postalCode: '',
  country: '',
  district: '',
}
