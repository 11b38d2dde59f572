import { findCurrency } from '../../src/domain/currency.ts'
import { NO_DEMANDS } from '../../src/domain/merchants/account-demands.ts'
import { NO_LIMITS } from '../../src/domain/merchants/account-limits.ts'
import { CardNumber } from '../../src/domain/payments/card-number.ts'
import type { AuthorizationRequest } from '../../src/usecases/banks/processor.ts'
import type { MerchantAccount } from '../../src/usecases/merchants/merchant-directory.ts'

/** A merchant account in test mode, at the test bank. */
export const TEST_ACCOUNT: MerchantAccount = {
  id: 2001n,
  merchantId: 10n,
  mode: 'test',
  linkId: null,
  standsFor: null,
  processorName: 'Test Processor',
  acquirerId: '100001',
  acquirerMerchantId: 'M1',
  categoryCode: '5411',
  nameAndLocation: 'SHOP'.padEnd(40),
  currencies: ['USD'],
  unreferencedCredits: false,
  limits: NO_LIMITS,
  demands: NO_DEMANDS,
  threeDs: null,
}

/** The request of a plain sale for the bank: 12.50 USD with a Visa card, and nothing more. */
export function aSale(changes: Partial<AuthorizationRequest>): AuthorizationRequest {
  const currency = findCurrency('USD')
  if (currency === null) throw new Error('There is no USD.')
  return {
    kind: 'sale',
    message: { number: 1n, at: new Date('2026-01-01T00:00:00Z') },
    account: TEST_ACCOUNT,
    amountMinor: 1250n,
    currency,
    pan: new CardNumber('4111111111111111'),
    expiry: null,
    cvv: null,
    address: null,
    cardOnFile: false,
    requestAccountUpdate: false,
    initiation: {
      initiator: null,
      recurring: 'none',
      instalment: false,
      rebillType: null,
      membershipReference: '',
      trialConsent: false,
      originalNetworkTransactionId: '',
    },
    partial: { allowed: false, minimumMinor: null },
    orderReference: '',
    authentication: null,
    businessTime: null,
    descriptor: { name: '', city: '', phone: '' },
    bankTest: null,
    ...changes,
  }
}
