import type { Difference, DifferenceReason, Reconciliation } from '@tollgate/gateway/books'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { describeAge, describeReconciliation, reconciliationJson } from '../src/recon-report.ts'
import { describeResults } from '../src/verify-command.ts'

const figures = { approvedMinor: 10_000n, capturedMinor: 6_000n, refundedMinor: 0n }

function difference(reasons: readonly DifferenceReason[]): Difference {
  const order = {
    orderId: 600_123n,
    bankKey: '',
    currency: 'USD',
    bankCurrency: null,
    gateway: figures,
    ledger: figures,
    bank: null,
  }
  return { order, reasons }
}

function found(differences: readonly Difference[]): Reconciliation {
  const totals = [{ currency: 'USD', orders: 3, gateway: figures, ledger: figures, bank: figures }]
  return { bankOrders: 3, orders: 3, totals, differences }
}

const advice = {
  kind: 'capture',
  sequence: 1,
  amountMinor: 6_000n,
  state: 'queued',
  tries: 7,
  ageMs: 300_000,
  responseCode: '',
} as const

suite('the report of recon', () => {
  test('agreement is one sentence after the totals', () => {
    const text = describeReconciliation(found([]))
    assert.match(text, /^USD, 3 orders\n  gateway +approved +100\.00  captured +60\.00/)
    assert.match(text, /agree about every one of 3 orders\.\n$/)
  })

  test('a difference shows the state of both books, and the reason', () => {
    const reasons = [{ kind: 'advice_queued', advice }, { kind: 'unknown_to_bank' }] as const
    const text = describeReconciliation(found([difference(reasons)]))
    assert.match(text, /^Order 600123, USD\n  gateway .*\n  ledger .*\n  bank +nothing$/m)
    assert.match(
      text,
      /Advice 1 \(capture of 60\.00\) has waited 5 min for the bank, sent 7 times\./,
    )
    assert.match(text, /The bank does not know this order\./)
    assert.match(text, /\n1 of 3 orders differs\.\n$/)
  })

  test('a page that is full says how many are not on it', () => {
    const many = Array.from({ length: 130 }, () => difference([{ kind: 'unexplained' }]))
    const text = describeReconciliation(found(many))
    assert.equal(text.match(/^Order /gm)?.length, 100)
    assert.match(text, /30 more orders differ/)
  })

  test('a program gets amounts as decimal text of minor units', () => {
    const report = JSON.parse(
      reconciliationJson(found([difference([{ kind: 'unexplained' }])])),
    ) as {
      agrees: boolean
      differences: { order: { gateway: { capturedMinor: unknown } } }[]
    }
    assert.equal(report.agrees, false)
    assert.equal(report.differences[0]?.order.gateway.capturedMinor, '6000')
  })

  test('an age is shown in the one unit that matters', () => {
    assert.deepEqual([3_999, 300_000, 8_000_000, 400_000_000].map(describeAge), [
      '3 s',
      '5 min',
      '2 h',
      '4 days',
    ])
  })
})

suite('the report of verify', () => {
  const result = { name: 'a_rule', sentence: 'It holds.', isWarning: false, count: 0, examples: [] }

  test('a rule that holds is one line', () => {
    assert.equal(describeResults([result]), 'ok           0  It holds.\n\nAll 1 invariants hold.\n')
  })

  test('a broken rule has its name, its first rows and how many more there are', () => {
    const text = describeResults([{ ...result, count: 3, examples: [{ order_id: 7, x: null }] }])
    assert.match(text, /^BROKEN +3  It holds\. \(a_rule\)\n +order_id 7, x none\n +and 2 more\n/)
    assert.match(text, /\n1 of 1 invariants is broken\.\n$/)
  })

  test('a warning breaks nothing', () => {
    const text = describeResults([{ ...result, isWarning: true, count: 1 }])
    assert.match(text, /^warning .*\n +and 1 more\n\nAll 1 invariants hold; 1 warning\.\n$/)
  })
})
