import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { SettlementHead, SettlementLine } from '../../src/settlement/settlement-line.ts'
import { amountText, settlementText } from '../../src/settlement/settlement-text.ts'
import { schemaFaults } from './settlement-schema.ts'

const SCHEMAS = new URL('../../../../docs/schemas/', import.meta.url)
const SAMPLE = readFileSync(new URL('tollgate-settlement-v1.sample.jsonl', SCHEMAS), 'utf8')

const HEAD: SettlementHead = {
  fileId: '0192f0c4-7b1e-7c55-9a10-3f6f6d1c0417',
  mode: 'test',
  sender: 'bank-demo',
  receiver: 'gw-01',
  account: 'MA-1042',
  currency: '978',
  seq: 417,
  prevSha256: '0'.repeat(64),
  businessDate: '2026-11-19',
  zone: 'Europe/Berlin',
  created: '2026-11-20T03:00:04Z',
  valueDate: '2026-11-20',
  opening: 0n,
}

const VISA = { batch: 417, brand: 'visa' }

const LINES: readonly Omit<SettlementLine, 'id'>[] = [
  {
    kind: 'sale',
    order: '880101',
    rrn: '632400017101',
    arn: '74208846324000000000018',
    ...VISA,
    gross: 12000n,
    fees: { interchange: -24n, scheme: -5n, acquirer: -30n },
  },
  {
    kind: 'sale',
    order: '880102',
    rrn: '632400017102',
    batch: 417,
    brand: 'mastercard',
    orig: { minor: 8000n, currency: '840', rateMillionths: 920_000n },
    gross: 7360n,
    fees: { interchange: -110n, scheme: -22n, acquirer: -25n },
  },
  {
    kind: 'sale',
    order: '880103',
    ...VISA,
    gross: 4550n,
    fees: { interchange: -9n, scheme: -3n, acquirer: -19n },
  },
  {
    kind: 'refund',
    order: '880077',
    ...VISA,
    gross: -2000n,
    fees: { interchange: 4n, acquirer: -10n },
  },
  {
    kind: 'reject',
    order: '880104',
    batch: 417,
    orig: { minor: 1500n, currency: '978' },
    reason: 'R07',
    gross: 0n,
  },
  { kind: 'chargeback', order: '879310', case: 'C-5521', reason: '10.4', gross: -6000n },
  { kind: 'dispute_fee', order: '879310', case: 'C-5521', gross: 0n, fees: { dispute: -1500n } },
  { kind: 'dispute_reversal', order: '878802', case: 'C-5390', reason: '13.1', gross: 3300n },
  {
    kind: 'fee',
    fee_code: 'scheme_monthly',
    period: '2026-10',
    gross: 0n,
    fees: { scheme: -1000n },
  },
  { kind: 'reserve_hold', ref: 'RSV-417', gross: -1196n },
  { kind: 'reserve_release', ref: 'RSV-237', gross: 800n },
  { kind: 'adjustment', reason: 'ADJ-ROUND', corrects: 'S401-014', gross: 50n },
  {
    kind: 'payout',
    payout: 'PO-417',
    trace: 'TG417EUR20261120',
    iban_last4: '3000',
    arrives: '2026-11-23',
    gross: -16111n,
  },
]

test('the writer reproduces the published sample file byte for byte', () => {
  const lines = LINES.map((line, at) => ({
    id: `S417-${String(at + 1).padStart(3, '0')}`,
    ...line,
  }))

  const text = settlementText(HEAD, lines).toArray().join('')

  assert.equal(text, SAMPLE)
})

test('every line of the published sample matches the published schema', () => {
  assert.deepEqual(schemaFaults(SAMPLE), [])
})

test('the published schema refuses a sale below zero and an amount with a comma', () => {
  assert.notDeepEqual(schemaFaults(SAMPLE.replace('"gross":"120.00"', '"gross":"-120.00"')), [])
  assert.notDeepEqual(schemaFaults(SAMPLE.replace('"net":"119.41"', '"net":"119,41"')), [])
})

test('an amount has exactly the decimals of its currency', () => {
  assert.equal(amountText(-30n, '978'), '-0.30')
  assert.equal(amountText(120n, '392'), '120')
  assert.equal(amountText(-5n, '414'), '-0.005')
  assert.equal(amountText(0n, '840'), '0.00')
})
