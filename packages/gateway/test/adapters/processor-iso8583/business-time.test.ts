import { decodePrivateData } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizationMessage } from '../../../src/adapters/processor-iso8583/messages.ts'
import { findCurrency } from '../../../src/domain/currency.ts'
import { NO_LIMITS } from '../../../src/domain/merchants/account-limits.ts'
import { CardNumber } from '../../../src/domain/payments/card-number.ts'
import type { AuthorizationRequest } from '../../../src/usecases/banks/processor.ts'

function aRequest(businessTime: Date | null): AuthorizationRequest {
  const currency = findCurrency('USD')
  assert.ok(currency !== null)
  return {
    kind: 'sale',
    message: { number: 1n, at: new Date('2026-01-01T00:00:00Z') },
    account: {
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
      threeDs: null,
    },
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
    businessTime,
    descriptor: { name: '', city: '', phone: '' },
    bankTest: null,
  }
}

test('the bank gets the time of a site with a clock of its own, in whole seconds of UTC, and nothing else differs', () => {
  const usual = authorizationMessage(aRequest(null))
  const clocked = authorizationMessage(aRequest(new Date('2036-02-29T23:59:58.999Z')))
  const { BD, ...rest } = decodePrivateData(clocked.fields[48] ?? '')
  assert.equal(BD, '20360229235958')
  assert.deepEqual(rest, decodePrivateData(usual.fields[48] ?? ''))
  assert.deepEqual({ ...clocked.fields, 48: '' }, { ...usual.fields, 48: '' })
})

test('the bank gets no time of a site that goes by the real time', () => {
  assert.equal(
    'BD' in decodePrivateData(authorizationMessage(aRequest(null)).fields[48] ?? ''),
    false,
  )
})
