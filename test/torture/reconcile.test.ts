import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Entry, Heard } from '../../tools/torture/answer-book.ts'
import type { BankSide } from '../../tools/torture/bank-side.ts'
import type {
  GatewayBooks,
  GatewayOrder,
  GatewayTransaction,
} from '../../tools/torture/gateway-books.ts'
import { reconcile } from '../../tools/torture/reconcile.ts'

const ORDER: GatewayOrder = {
  id: '1',
  kind: 'payment',
  reference: 'a',
  key: 'key-1',
  authorized: 1_000n,
  captured: 300n,
  voided: 0n,
  refunded: 0n,
}
const AUTHORIZED: GatewayTransaction = {
  id: '10',
  orderId: '1',
  kind: 'authorization',
  state: 'approved',
  value: 1_000n,
  serviceCode: 100,
}
const CAPTURED: GatewayTransaction = { ...AUTHORIZED, id: '11', kind: 'capture', value: 300n }
const HELD_AT_BANK = { approved: 1_000n, captured: 300n, refunded: 0n, unreferenced: 0n }

function answered(transactionId: string, valueMinor: string): Heard {
  return {
    kind: 'answer',
    status: 'APPROVED',
    service: '100',
    transactionId,
    orderId: '1',
    valueMinor,
  }
}

function entry(action: string, heard: Heard, more: Partial<Entry> = {}): Entry {
  const payment = action === 'authorize'
  const names = payment ? { reference: 'a', orderId: '' } : { reference: '', orderId: '1' }
  const where = { n: 1, atMs: 0, tookMs: 1, client: 0, worker: 0 }
  return { ...where, action, key: '', replay: false, heard, ...names, ...more }
}

const ENTRIES = [
  entry('authorize', answered('10', '1000')),
  entry('capture', answered('11', '300')),
]

function differences(change: {
  entries?: readonly Entry[]
  orders?: readonly GatewayOrder[]
  transactions?: readonly GatewayTransaction[]
  bank?: ReadonlyMap<string, typeof HELD_AT_BANK>
}): string[] {
  const { orders = [ORDER], transactions = [AUTHORIZED, CAPTURED] } = change
  const gateway: GatewayBooks = {
    orders: new Map(orders.map((order) => [order.id, order])),
    transactions: new Map(transactions.map((transaction) => [transaction.id, transaction])),
    advices: { reversals: 0, repeated: 0 },
    contradictions: [],
  }
  const entries = change.bank ?? new Map([['key-1', HELD_AT_BANK]])
  const disputes = { cases: [], notices: [] }
  const bank: BankSide = { entries, disputes, records: {}, contradictions: [] }
  return reconcile(change.entries ?? ENTRIES, gateway, bank)
}

suite('reconciling three records', () => {
  test('records that agree have no difference', () => {
    assert.deepEqual(differences({}), [])
  })

  test('an approval that the gateway does not have is a difference', () => {
    assert.equal(differences({ transactions: [AUTHORIZED] }).length, 1)
  })

  test('an approval of another amount is a difference', () => {
    const wrong = [ENTRIES[0] as Entry, entry('capture', answered('11', '299'))]
    assert.equal(differences({ entries: wrong }).length, 1)
  })

  test('an adjustment without an answer is a difference, unless an answer was lost', () => {
    const again = { ...CAPTURED, id: '12' }
    const transactions = [AUTHORIZED, CAPTURED, again]
    assert.equal(differences({ transactions }).length, 1)
    const lost = entry('capture', { kind: 'nothing', why: 'broken' })
    assert.deepEqual(differences({ transactions, entries: [...ENTRIES, lost] }), [])
  })

  test('a second adjustment of one key is a difference, answered or not', () => {
    const again = { ...CAPTURED, id: '12' }
    const transactions = [AUTHORIZED, CAPTURED, again]
    const keyed = (heard: Heard) => entry('capture', heard, { key: 'k' })
    const lost = keyed({ kind: 'nothing', why: 'broken' })
    const first = keyed(answered('11', '300'))
    const payment = ENTRIES[0] as Entry
    assert.deepEqual(
      differences({ transactions: [AUTHORIZED, CAPTURED], entries: [payment, lost, lost, first] }),
      [],
    )
    assert.equal(differences({ transactions, entries: [payment, lost, lost, first] }).length, 1)
    const second = keyed(answered('12', '300'))
    assert.equal(differences({ transactions, entries: [payment, first, second] }).length, 1)
  })

  test('a second approved order of one reference is a difference, unless an answer was lost', () => {
    const second = { ...ORDER, id: '2', key: 'key-2', captured: 0n }
    const transactions = [AUTHORIZED, CAPTURED, { ...AUTHORIZED, id: '20', orderId: '2' }]
    const held = { ...HELD_AT_BANK, captured: 0n }
    const bank = new Map([
      ['key-1', HELD_AT_BANK],
      ['key-2', held],
    ])
    const twice = { orders: [ORDER, second], transactions, bank }
    assert.ok(differences(twice).length > 0)
    const lost = entry('authorize', { kind: 'nothing', why: 'broken' })
    assert.deepEqual(differences({ ...twice, entries: [...ENTRIES, lost] }), [])
    const replay = [...ENTRIES, lost].map((each) => ({ ...each, replay: true }))
    assert.equal(differences({ ...twice, entries: replay }).length, 1)
  })

  test('an approved order whose only request was answered with a refusal is a difference', () => {
    const refused = entry('authorize', { kind: 'refused', code: 'HTTP' })
    assert.equal(differences({ entries: [refused, ENTRIES[1] as Entry] }).length, 1)
  })

  test('another amount at the bank, more or less, is a difference', () => {
    for (const captured of [0n, 600n]) {
      const bank = new Map([['key-1', { ...HELD_AT_BANK, captured }]])
      assert.equal(differences({ bank }).length, 1)
    }
  })

  test('money at the bank that is in no order of the gateway is a difference', () => {
    const bank = new Map([
      ['key-1', HELD_AT_BANK],
      ['key-2', HELD_AT_BANK],
    ])
    assert.equal(differences({ bank }).length, 1)
  })
})
