import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import {
  booksDiffer,
  explainDifference,
  type AdviceFacts,
  type OrderFacts,
  type OrderFigures,
  type OrderInBooks,
} from '../../../src/domain/books/order-comparison.ts'

const figures = (approved: bigint, captured = 0n, refunded = 0n): OrderFigures => ({
  approvedMinor: approved,
  capturedMinor: captured,
  refundedMinor: refunded,
})

function order(changes: Partial<OrderInBooks> = {}): OrderInBooks {
  return {
    orderId: 600_001n,
    bankKey: '414000/T0000001/000042/1121080000',
    currency: 'USD',
    bankCurrency: null,
    gateway: figures(100n, 60n, 10n),
    ledger: figures(100n, 60n, 10n),
    bank: figures(100n, 60n, 10n),
    ...changes,
  }
}

function advice(changes: Partial<AdviceFacts> = {}): AdviceFacts {
  return {
    kind: 'capture',
    sequence: 2,
    amountMinor: 60n,
    state: 'queued',
    tries: 7,
    ageMs: 300_000,
    responseCode: '',
    ...changes,
  }
}

const NO_FACTS: OrderFacts = { runningMs: null, advices: [] }

function reasonsFor(changes: Partial<OrderInBooks>, facts: Partial<OrderFacts> = {}): string[] {
  return explainDifference(order(changes), { ...NO_FACTS, ...facts }).map(({ kind }) => kind)
}

suite('comparing an order in three books', () => {
  test('an order that is the same everywhere does not differ', () => {
    assert.equal(booksDiffer(order()), false)
  })

  test('an order without money need not be known to the ledger or the bank', () => {
    assert.equal(booksDiffer(order({ gateway: figures(0n), ledger: null, bank: null })), false)
  })

  test('an order with money must be known to both', () => {
    assert.equal(booksDiffer(order({ ledger: null })), true)
    assert.equal(booksDiffer(order({ bank: null })), true)
  })

  test('an order that only the bank knows differs even without money', () => {
    assert.equal(booksDiffer(order({ gateway: null, ledger: null, bank: figures(0n) })), true)
  })

  test('the same amount in another currency is a difference', () => {
    assert.equal(booksDiffer(order({ bankCurrency: 'EUR' })), true)
  })

  test('any one of the amounts in any one of the books makes a difference', () => {
    const amount = fc.bigInt({ min: 0n, max: 1_000_000n })
    const same = fc.tuple(amount, amount, amount)
    const book = fc.constantFrom('gateway' as const, 'ledger' as const, 'bank' as const)
    const place = fc.nat({ max: 2 })
    const property = fc.property(same, book, place, amount, (agreed, one, index, other) => {
      fc.pre(agreed[index] !== other)
      const changed = agreed.with(index, other) as typeof agreed
      const books = {
        gateway: figures(...agreed),
        ledger: figures(...agreed),
        bank: figures(...agreed),
      }
      assert.equal(booksDiffer(order(books)), false)

      const differing = { ...books, [one]: figures(...changed) }
      assert.equal(booksDiffer(order(differing)), true)
      assert.notEqual(reasonsFor(differing).length, 0)
    })
    fc.assert(property)
  })
})

suite('the reasons of a difference', () => {
  test('a waiting capture is the reason that the bank has captured less', () => {
    const facts = { advices: [advice()] }
    assert.deepEqual(reasonsFor({ bank: figures(100n) }, facts), ['advice_queued'])
  })

  test('a waiting reversal is distinguished from other advices', () => {
    const facts = { advices: [advice({ kind: 'reversal' })] }
    const changes = { gateway: figures(0n), ledger: null, bank: figures(100n) }
    assert.deepEqual(reasonsFor(changes, facts), ['reversal_pending'])
  })

  test('an advice that the bank refused is named', () => {
    const facts = { advices: [advice({ state: 'refused', responseCode: '76' })] }
    assert.deepEqual(reasonsFor({ bank: figures(100n) }, facts), ['advice_refused'])
  })

  test('a running transaction is the reason that only the bank holds money', () => {
    const changes = { gateway: figures(0n), ledger: null, bank: figures(100n) }
    assert.deepEqual(reasonsFor(changes, { runningMs: 900 }), ['transaction_running'])
  })

  test('an order that one side does not know says so', () => {
    assert.deepEqual(reasonsFor({ bank: null }), ['unknown_to_bank'])
    assert.deepEqual(reasonsFor({ gateway: null, ledger: null }), ['unknown_to_gateway'])
  })

  test('a differing ledger is not explained by a waiting advice', () => {
    const facts = { advices: [advice()] }
    assert.deepEqual(reasonsFor({ ledger: figures(100n) }, facts), ['ledger_differs'])
  })

  test('ledger and bank can both differ, for a reason each', () => {
    const changes = { ledger: figures(100n), bank: figures(100n) }
    const facts = { advices: [advice()] }
    assert.deepEqual(reasonsFor(changes, facts), ['ledger_differs', 'advice_queued'])
  })

  test('another currency is a reason of its own', () => {
    assert.deepEqual(reasonsFor({ bankCurrency: 'EUR' }), ['currency_differs'])
  })

  test('a difference that nothing explains is called unexplained', () => {
    assert.deepEqual(reasonsFor({ bank: figures(100n) }), ['unexplained'])
  })
})
