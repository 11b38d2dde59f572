import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCurrency } from '../../../src/domain/currency.ts'
import { retryAdvice } from '../../../src/domain/memberships/retry-advice.ts'
import type { CardBrand } from '../../../src/domain/payments/card.ts'

const AT = new Date('2026-11-21T12:00:00.250Z')
const HOUR_MS = 3_600_000

type Row = readonly [CardBrand | null, code: string, service: number, advice: string, says: string]

const DECLINES: readonly Row[] = [
  ['Visa', '51', 635, '', 'after 24 h'],
  ['Visa', '05', 650, '', 'after 24 h'],
  ['Visa', '41', 600, '', 'never'],
  ['Visa', '51', 635, '03', 'after 24 h'],
  ['Visa', 'R0', 219, '', 'never'],
  ['Visa', 'R1', 220, '', 'never'],
  ['Visa', '54', 624, '', 'new_data'],
  ['Visa', 'N7', 620, '', 'new_data'],
  ['Visa', '1A', 670, '', 'authenticate'],
  ['Visa', '70', 670, '', 'authenticate'],
  ['Mastercard', '65', 670, '', 'authenticate'],
  ['Mastercard', '65', 670, '03', 'never'],
  ['Mastercard', '05', 650, '01', 'new_data'],
  ['Mastercard', '05', 650, '02', 'after 24 h'],
  ['Mastercard', '05', 650, '03', 'never'],
  ['Mastercard', '05', 650, '24', 'after 1 h'],
  ['Mastercard', '05', 650, '30', 'after 240 h'],
  ['Mastercard', '79', 600, '', 'never'],
  ['Maestro', '05', 650, '26', 'after 48 h'],
  ['JCB', '51', 635, '', 'after 24 h'],
  [null, '', 624, '', 'new_data'],
  [null, '', 675, '', 'never'],
  ['Visa', '', 623, '', 'after 24 h'],
  ['Visa', '', 670, '', 'authenticate'],
]

test('a decline names the next attempt as the renewals of the gateway would wait for it', () => {
  const currency = findCurrency('USD')
  assert.ok(currency)
  const said = DECLINES.map(([brand, responseCode, serviceCode, merchantAdvice]) => {
    const amount = { minor: 999n, currency }
    const codes = { responseCode, serviceCode, merchantAdvice }
    const advice = retryAdvice({ ...codes, brand, amount, at: AT })
    if (advice.kind !== 'after') return advice.kind
    return `after ${(advice.at.getTime() - AT.getTime()) / HOUR_MS} h`
  })
  assert.deepEqual(
    said,
    DECLINES.map((row) => row[4]),
  )
})
