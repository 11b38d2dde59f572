import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decideThrowawaySite,
  isThrowaway,
  throwawayMerchantNumber,
  type ThrowawayOrigin,
} from '../../../src/domain/merchants/throwaway-site.ts'

const ORIGIN: ThrowawayOrigin = {
  siteId: 1001n,
  mode: 'test',
  merchantIsLive: false,
  accountId: 2001n,
  open: 99,
}

/** The code or field of the refusal; null for none. */
function refusedFor(changes: Partial<ThrowawayOrigin>, days: number): string | null {
  const refusal = decideThrowawaySite({ ...ORIGIN, ...changes }, days)
  return refusal === null ? null : (refusal.code ?? refusal.field ?? '')
}

test('a test merchant below the limit makes a site for 1 to 30 whole days', () => {
  assert.deepEqual(
    [1, 30, 0, 31, 1.5].map((days) => refusedFor({}, days)),
    [null, null, 'days', 'days', 'days'],
  )
})

test('a live site of the merchant, a missing account and the hundredth site each refuse another', () => {
  assert.equal(refusedFor({ merchantIsLive: true }, 7), 'live_merchant')
  assert.equal(refusedFor({ mode: 'live' }, 7), 'live_merchant')
  assert.equal(refusedFor({ accountId: null }, 7), 'no_account')
  assert.equal(refusedFor({ open: 100 }, 7), 'too_many_sites')
})

test('only accounts of throwaway sites at the bundled bank are apart from all others', () => {
  const acquirerMerchantId = throwawayMerchantNumber(9111n)
  assert.equal(isThrowaway({ linkId: null, acquirerMerchantId }), true)
  assert.equal(isThrowaway({ linkId: 3n, acquirerMerchantId }), false)
  assert.equal(isThrowaway({ linkId: null, acquirerMerchantId: 'TOLLGATE2001' }), false)
})
