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

  test('an order that only the bank knows has the next step for the money that was taken or held', () => {
    const next = (approved: bigint, captured: bigint, refunded: bigint): string => {
      const bank = { approvedMinor: approved, capturedMinor: captured, refundedMinor: refunded }
      const lost = { ...difference([]).order, orderId: null, gateway: null, ledger: null, bank }
      const reasons = [{ kind: 'unknown_to_gateway' }] as const
      return describeReconciliation(found([{ order: lost, reasons }]))
    }
    assert.match(next(900n, 900n, 200n), /The cardholder paid 7\.00 USD\. Ask the merchant/)
    assert.match(next(900n, 500n, 0n), /paid 5\.00 USD.* It also holds 4\.00 USD, which expires/)
    assert.match(next(900n, 0n, 0n), /The bank holds 9\.00 USD, and nothing was captured/)
    assert.match(next(900n, 900n, 900n), /Nothing is held and nothing is owed/)
    assert.match(
      next(0n, 0n, 300n),
      /The cardholder received 3\.00 USD\. Note it, and do not refund/,
    )
  })

  test('an order where the bank is ahead without a reason has a next step for each lost operation', () => {
    const ahead = (approved: bigint, captured: bigint, refunded: bigint): string => {
      const bank = { approvedMinor: approved, capturedMinor: captured, refundedMinor: refunded }
      const reasons = [{ kind: 'unexplained' }] as const
      return describeReconciliation(found([{ order: { ...difference([]).order, bank }, reasons }]))
    }
    assert.match(ahead(10_000n, 8_000n, 0n), /captured 20\.00 USD more\. Do not capture it again/)
    assert.match(ahead(10_000n, 5_000n, 0n), /voided a capture of 10\.00 USD\. Void it here too/)
    assert.match(ahead(10_000n, 6_000n, 500n), /refunded 5\.00 USD more\. Do not refund it again/)
    assert.match(ahead(9_000n, 6_000n, 0n), /released 10\.00 USD\. Void it here too/)
    const same = ahead(10_000n, 6_000n, 0n)
    assert.doesNotMatch(same, /again|here too/)
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
      differences: { nextSteps: string[]; order: { gateway: { capturedMinor: unknown } } }[]
    }
    assert.equal(report.agrees, false)
    assert.deepEqual(report.differences[0]?.nextSteps, [])
    assert.equal(report.differences[0]?.order.gateway.capturedMinor, '6000')
  })

  test('a program gets the next steps of the page', () => {
    const bank = { approvedMinor: 900n, capturedMinor: 900n, refundedMinor: 200n }
    const order = { ...difference([]).order, bank, gateway: null }
    const lost = found([{ order, reasons: [{ kind: 'unknown_to_gateway' }] }])
    const report = JSON.parse(reconciliationJson(lost)) as {
      differences: { nextSteps: string[] }[]
    }
    const [step = '', ...others] = report.differences[0]?.nextSteps ?? []
    assert.match(step, /^The cardholder paid 7\.00 USD\./)
    assert.deepEqual(others, [])
    assert.ok(describeReconciliation(lost).includes(step))
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
