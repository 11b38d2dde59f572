import { fixedClock } from '../../packages/gateway/src/base/clock.ts'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import { findCurrency } from '../../packages/gateway/src/domain/currency.ts'
import { NO_DEMANDS } from '../../packages/gateway/src/domain/merchants/account-demands.ts'
import { NO_LIMITS } from '../../packages/gateway/src/domain/merchants/account-limits.ts'
import { CardNumber } from '../../packages/gateway/src/domain/payments/card-number.ts'
import type {
  MerchantAccount,
  Site,
} from '../../packages/gateway/src/usecases/merchants/merchant-directory.ts'
import type { NamedAdjustment } from '../../packages/gateway/src/usecases/payments/adjust-named-order.ts'
import type { RepeatableRequest } from '../../packages/gateway/src/usecases/payments/idempotency-key.ts'
import type { PaymentCommand } from '../../packages/gateway/src/usecases/payments/payment-command.ts'
import { plainPayment } from '../../packages/gateway/src/usecases/payments/plain-payment.ts'
import type { Script } from './network.ts'

/** A test number without an account. */
export const PAN = '4111111111111111'

export const ACCOUNT: MerchantAccount = {
  id: 2001n,
  merchantId: 10n,
  mode: 'test',
  linkId: null,
  standsFor: null,
  processorName: 'Simulated Bank',
  acquirerId: '414000',
  acquirerMerchantId: 'M1',
  categoryCode: '5999',
  nameAndLocation: 'Shop',
  currencies: ['USD'],
  unreferencedCredits: true,
  limits: NO_LIMITS,
  demands: NO_DEMANDS,
  threeDs: null,
}

export const SITE: Site = {
  id: 1001n,
  merchantId: 10n,
  mode: 'test',
  hasOwnClock: false,
  // Each process replaces it with the clock of the simulation.
  clock: fixedClock(new Date(0)),
  tolerance: 'strict',
  defaultCurrency: 'USD',
  cvvRequired: false,
  avsMode: 'T',
  cvvMode: 'I',
  avsMatchSet: 'Y',
  cvvMatchSet: 'M',
  catalogue: 'open',
  defaultProduct: '1',
  products: new Map(),
  cardTesting: null,
  threeDs: {
    required: false,
    whenUnavailable: 'authorize',
    paResRequired: false,
    challengePreference: null,
    returnHosts: [],
  },
  merchantAccounts: [ACCOUNT],
}

export interface Purchase {
  readonly kind: PaymentCommand['kind']
  /** Minor units of each line. */
  readonly lines: readonly bigint[]
  readonly script: Script
  readonly reference: string
  readonly duplicates: PaymentCommand['duplicates']
  readonly partialAllowed: boolean
  /** The gateway declines it without a request to the bank. */
  readonly cardExpired: boolean
  /** '' for a request without an idempotency key. */
  readonly key: string
}

export function paymentCommand(requestId: bigint, purchase: Purchase): PaymentCommand {
  const payment = plainPayment({
    kind: purchase.kind,
    requestId,
    site: SITE,
    merchantAccountId: null,
    currency: findCurrency('USD'),
    lines: purchase.lines.map((amountMinor) => ({
      product: '1',
      merchantProduct: '',
      count: 1,
      amountMinor,
    })),
    totalMinor: purchase.lines.reduce((sum, amountMinor) => sum + amountMinor, 0n),
    card: {
      kind: 'new',
      pan: new CardNumber(PAN),
      expiry: { month: 12, year: purchase.cardExpired ? 2020 : 2099 },
      cvv: null,
      customerId: null,
      reference: '',
      onFileElsewhere: false,
    },
  })
  return {
    ...payment,
    userId: 1n,
    orderReference: purchase.reference,
    duplicates: purchase.duplicates,
    partial: { allowed: purchase.partialAllowed, minimumMinor: null },
    descriptor: { name: purchase.script, city: '', phone: '' },
    repeatable: purchase.key === '' ? null : repeatableOf(purchase),
  }
}

/** As the content of a form: everything that was drawn. */
function repeatableOf({ key, ...content }: Purchase): RepeatableRequest {
  return {
    key: new Secret(key),
    content: new Secret(JSON.stringify({ ...content, lines: content.lines.map(String) })),
  }
}

export interface Change {
  readonly kind: NamedAdjustment['kind']
  readonly orderId: bigint
  readonly lineId: bigint | null
  /** Minor units; null for the whole amount. */
  readonly minor: bigint | null
  readonly refundOnFail: boolean
  /** '' for a request that is not repeated. */
  readonly key: string
}

export function adjustmentCommand(requestId: bigint, change: Change): NamedAdjustment {
  const { kind, orderId, lineId, minor, refundOnFail, key } = change
  const cents = minor?.toString().padStart(3, '0')
  return {
    kind,
    requestId,
    origin: 'api',
    site: SITE,
    order: { by: 'id', orderId },
    lineId,
    amount: cents === undefined ? null : `${cents.slice(0, -2)}.${cents.slice(-2)}`,
    currencyCode: null,
    refundOnFail,
    repeatable: key === '' ? null : { key: new Secret(key), content: new Secret(cents ?? 'all') },
  }
}
