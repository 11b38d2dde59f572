import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { OrderInBooks } from '../../../src/domain/books/order-comparison.ts'
import { reconcile, type Reconciliation } from '../../../src/usecases/books/reconcile.ts'

function figures(captured: bigint) {
  return { approvedMinor: 100n, capturedMinor: captured, refundedMinor: 0n }
}

function order(id: bigint, bankCaptured: bigint): OrderInBooks {
  return {
    orderId: id,
    bankKey: `414000/T0000001/${id}/1121080000`,
    currency: 'USD',
    bankCurrency: null,
    gateway: figures(60n),
    ledger: figures(60n),
    bank: figures(bankCaptured),
  }
}

async function* each<T>(list: readonly T[]): AsyncGenerator<T> {
  yield* list
}

/** Reconciles books that change at each read, and returns how often they were read. */
async function lookAt(
  reads: readonly (readonly OrderInBooks[])[],
): Promise<Reconciliation & { reads: number }> {
  let latest = 0
  const found = await reconcile({
    readBank: () => each([]),
    pause: async () => undefined,
    store: {
      takeBankOrders: async () => 0,
      readOrders: () => each(reads[0] ?? []),
      readOrdersAgain: (orders) => {
        latest += 1
        const ids = new Set(orders.map(({ orderId }) => orderId))
        return each((reads[latest] ?? []).filter(({ orderId }) => ids.has(orderId)))
      },
      readFacts: async () => new Map(),
    },
  })
  return { ...found, reads: latest + 1 }
}

const ids = ({ differences }: Reconciliation) =>
  differences.map(({ order: { orderId } }) => orderId)

suite('reconciling books that move', () => {
  test('books that agree are read once', async () => {
    const found = await lookAt([[order(1n, 60n), order(2n, 60n)]])
    assert.deepEqual([ids(found), found.reads, found.orders], [[], 1, 2])
  })

  test('an order that agrees at the second comparison is no difference', async () => {
    const found = await lookAt([[order(1n, 0n), order(2n, 60n)], [order(1n, 60n)]])
    assert.deepEqual(ids(found), [])
  })

  test('an order that differs at every read is a difference, in the sequence of ids', async () => {
    const stuck = [order(3n, 0n), order(1n, 0n)]
    const found = await lookAt([
      [...stuck, order(2n, 0n)],
      [...stuck, order(2n, 60n)],
      stuck,
      stuck,
    ])
    assert.deepEqual(ids(found), [1n, 3n])
  })

  test('comparing stops when it clears nothing more', async () => {
    const stuck = [order(1n, 0n)]
    assert.equal((await lookAt([stuck, stuck, stuck, stuck])).reads, 2)
  })

  test('the totals are those of the last read of each order', async () => {
    const found = await lookAt([[order(1n, 0n), order(2n, 60n)], [order(1n, 60n)]])
    assert.deepEqual(found.totals, [
      {
        currency: 'USD',
        orders: 2,
        gateway: { approvedMinor: 200n, capturedMinor: 120n, refundedMinor: 0n },
        ledger: { approvedMinor: 200n, capturedMinor: 120n, refundedMinor: 0n },
        bank: { approvedMinor: 200n, capturedMinor: 120n, refundedMinor: 0n },
      },
    ])
  })
})
