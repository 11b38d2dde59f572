import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { OrderInBooks } from '../../../src/domain/books/order-comparison.ts'
import {
  MOST_KEPT,
  reconcileAndNote,
  reconcileChanges,
  type ChangesDeps,
  type ReconEnd,
} from '../../../src/usecases/books/reconcile-changes.ts'
import type { BankOrder } from '../../../src/usecases/books/reconcile.ts'

const NONE = { approvedMinor: 0n, capturedMinor: 0n, refundedMinor: 0n }
const HELD = { ...NONE, approvedMinor: 100n }

const bankOrder = (stan: string): BankOrder => ({
  acquirer: '414000',
  terminal: 'T0000001',
  stan,
  transmittedAt: '1121080000',
  currency: 'USD',
  figures: HELD,
})

/** An order that the ledger has nothing of; without an id, one that only the bank knows. */
const differing = (orderId: bigint | null, bankKey = ''): OrderInBooks => ({
  orderId,
  bankKey,
  currency: 'USD',
  bankCurrency: null,
  gateway: orderId === null ? null : HELD,
  ledger: null,
  bank: HELD,
})

async function* each<T>(list: readonly T[]): AsyncGenerator<T> {
  yield* list
}

/** Books with these differences, which record the calls in their sequence. */
function books(differences: readonly OrderInBooks[]) {
  const calls: string[] = []
  const ends: ReconEnd[] = []
  const deps: ChangesDeps & { readBank: () => AsyncIterable<BankOrder> } = {
    pause: async () => undefined,
    readBank: () => each([]),
    bank: {
      readPosition: async () => {
        calls.push('bank position')
        return 'B2'
      },
      readSince: (position) => {
        calls.push(`bank since ${position}`)
        return each([bankOrder('000001'), bankOrder('000002')])
      },
      readNamed: (keys) => {
        calls.push(`named ${keys.join(' ')}`)
        return each([bankOrder('000002')])
      },
    },
    runs: {
      begin: async () => void calls.push('feed position'),
      readKeptKeys: async () => ['kept'],
      choose: async (bankOrders) => {
        const stans = (await Array.fromAsync(bankOrders)).map(({ stan }) => stan)
        calls.push(`choose ${stans.join(' ')}`)
        return ['chosen']
      },
      end: async (end) => void ends.push(end),
    },
    store: {
      takeBankOrders: async (orders) => (await Array.fromAsync(orders)).length,
      readOrders: () => {
        calls.push('compare')
        return each(differences)
      },
      readOrdersAgain: () => each(differences),
      readFacts: async () => new Map(),
    },
  }
  return { calls, deps, ends }
}

const MARK = { bankPosition: 'B1', beganAt: new Date(0) }

suite('reconciling what has changed since a run', () => {
  test('both positions are noted before anything is read, and the feed before the bank', async () => {
    const { calls, deps, ends } = books([])
    await reconcileChanges(deps, MARK)
    assert.deepEqual(calls.slice(0, 2), ['feed position', 'bank position'])
    assert.deepEqual(
      ends.map(({ bankPosition, isFull }) => [bankPosition, isFull]),
      [['B2', false]],
    )
    const full = books([])
    await reconcileAndNote(full.deps)
    assert.deepEqual(full.calls, ['feed position', 'bank position', 'compare'])
  })

  test('a kept order that the bank has changed is taken once', async () => {
    const { calls, deps } = books([])
    await reconcileChanges(deps, MARK)
    assert.deepEqual(calls.slice(2), [
      'bank since B1',
      'named kept',
      'choose 000001 000002',
      'named chosen',
      'compare',
    ])
  })

  test('the next run gets the orders that differ, by id or by the key of the bank', async () => {
    const { deps, ends } = books([differing(7n), differing(null, 'lost')])
    await reconcileChanges(deps, MARK)
    assert.deepEqual(ends[0]?.orderIds, [7n])
    assert.deepEqual(ends[0]?.bankKeys, ['lost'])
  })

  test('a run with more differences than are kept is not the one to go on from', async () => {
    const many = Array.from({ length: MOST_KEPT + 1 }, (_, at) => differing(BigInt(at)))
    const { deps, ends } = books(many)
    await reconcileAndNote(deps)
    assert.deepEqual(ends, [])
    const most = books(many.slice(1))
    await reconcileAndNote(most.deps)
    assert.equal(most.ends[0]?.orderIds.length, MOST_KEPT)
  })
})
