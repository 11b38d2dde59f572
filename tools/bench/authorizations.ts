import { NO_CARD_PRODUCT } from '../../packages/gateway/src/domain/payments/card-product.ts'
import type {
  PaymentConclusion,
  PaymentIntent,
} from '../../packages/gateway/src/usecases/payments/payment-store.ts'

const AT = new Date('2026-11-19T10:00:00Z')
const EXPIRES_AT = new Date('2026-11-26T10:00:00Z')
const AMOUNT_MINOR = 1_299n

/** An authorization of a new customer with one line, all of whose rows have this id. */
export function authorization(id: bigint): PaymentIntent {
  return {
    transactionId: id,
    orderId: id,
    requestId: id,
    origin: 'api',
    merchantId: 1n,
    siteId: 1001n,
    merchantAccountId: 2001n,
    mode: 'test',
    kind: 'authorization',
    currency: 'EUR',
    amountMinor: AMOUNT_MINOR,
    reference: `order-${id}`,
    message: { number: id, at: AT },
    entryMode: '010',
    membershipReference: '',
    processorUdf1: '',
    processorUdf2: '',
    extras: '{}',
    customer: {
      known: false,
      id,
      reference: `customer-${id}`,
      firstName: 'Ada',
      lastName: `Byron ${id % 997n}`,
      email: `ada.${id}@example.com`,
      phone: '',
      login: '',
      billing: '{"street":"Lange Zeile 1","city":"Erlangen","postal_code":"91052","country":"DE"}',
      shipping: '{}',
      others: '{}',
    },
    card: newCard(id),
    lines: [
      {
        id,
        product: 'shoes',
        merchantProduct: '',
        count: 1,
        amountMinor: AMOUNT_MINOR,
        membershipId: null,
      },
    ],
    claim: null,
    membershipClaim: null,
    key: null,
    pending: false,
    idsGiven: false,
    operationId: null,
    declinedServiceCode: null,
    expiresAt: EXPIRES_AT,
    at: AT,
  }
}

function newCard(id: bigint): PaymentIntent['card'] {
  return {
    known: false,
    id,
    sealed: { ciphertext: id.toString(16).padStart(92, 'a'), dataKeyId: 1 },
    fingerprint: id.toString(16).padStart(64, 'b'),
    brand: 'visa',
    last4: String(id % 10_000n).padStart(4, '0'),
    expiryMonth: 12,
    expiryYear: 2030,
    reference: '',
  }
}

/** The bank's approval of it. */
export function conclusionOf(intent: PaymentIntent): PaymentConclusion {
  return {
    transactionId: intent.transactionId,
    orderId: intent.orderId,
    merchantId: intent.merchantId,
    merchantAccountId: intent.merchantAccountId,
    siteId: intent.siteId,
    mode: intent.mode,
    kind: intent.kind,
    state: 'approved',
    valueMinor: intent.amountMinor,
    serviceCode: 100,
    bank: {
      processorCode: '100',
      processorAdvice: '',
      industryCode: '',
      industryAdvice: '',
      responseCode: '00',
      authCode: 'A12345',
      networkTransactionId: '012345678901234',
      avsCode: 'M',
      cvvCode: 'M',
      merchantAdvice: '',
      cardUpdate: null,
      cardProduct: NO_CARD_PRODUCT,
      cardBalanceMinor: null,
      settled: null,
    },
    expiresAt: EXPIRES_AT,
    lineAmounts: null,
    advice: null,
    accountUpdate: null,
    memberships: [],
    claim: null,
    origin: null,
    at: AT,
  }
}
