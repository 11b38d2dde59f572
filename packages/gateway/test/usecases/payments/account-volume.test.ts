import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  reserveVolume,
  settleVolume,
  type AccountVolumeDeps,
  type VolumePart,
} from '../../../src/usecases/payments/account-volume.ts'
import type { Resolved } from '../../../src/usecases/payments/resolve-payment.ts'

const AT = new Date('2026-11-28T10:00:00Z')
const PART: VolumePart = {
  merchantId: 1n,
  accountId: 7n,
  currency: 'EUR',
  amountMinor: 500n,
  at: AT,
}

/** The parts that were reserved and released; `room` is what the account still takes. */
function theDay(room: boolean) {
  const moved: string[] = []
  const deps: AccountVolumeDeps = {
    volumes: {
      async reserve({ amountMinor }, limit) {
        moved.push(`reserve ${amountMinor} of ${limit}`)
        return room
      },
      async release({ amountMinor }) {
        moved.push(`release ${amountMinor}`)
      },
    },
  }
  return { deps, moved }
}

function aPayment(kind: 'sale' | 'refund', totalMinor: bigint, dayMinor: bigint | null): Resolved {
  const amounts = new Map([['EUR', { paymentMinor: null, dayMinor }]])
  return {
    account: { id: 7n, merchantId: 1n, limits: { amounts, countries: null } },
    command: { kind, totalMinor, site: { clock: { now: () => AT } } },
    currency: { code: 'EUR' },
  } as unknown as Resolved
}

suite('the volume of an account on a day', () => {
  test('a payment reserves its amount, and is declined with 215 where the day has no room', async () => {
    const { deps, moved } = theDay(true)
    const attempt = { volume: null }
    assert.equal(await reserveVolume(deps, attempt, aPayment('sale', 500n, 900n)), null)
    assert.deepEqual(attempt.volume, PART)
    assert.deepEqual(moved, ['reserve 500 of 900'])

    const full = { volume: null }
    assert.equal(await reserveVolume(theDay(false).deps, full, aPayment('sale', 500n, 900n)), 215)
    assert.equal(full.volume, null)
  })

  test('an account without a limit, a verification and an unreferenced refund reserve nothing', async () => {
    const { deps, moved } = theDay(true)
    for (const payment of [
      aPayment('sale', 500n, null),
      aPayment('sale', 0n, 900n),
      aPayment('refund', 500n, 900n),
    ])
      assert.equal(await reserveVolume(deps, { volume: null }, payment), null)
    assert.deepEqual(moved, [])
  })

  test('an ended payment releases the part that it did not use, and an undecided one keeps it', async () => {
    const settled = async (ended: object): Promise<readonly string[]> => {
      const { deps, moved } = theDay(true)
      const attempt: { volume: VolumePart | null } = { volume: PART }
      await settleVolume(deps, attempt, ended as Parameters<typeof settleVolume>[2])
      assert.equal(attempt.volume, null)
      return moved
    }
    const done = (state: string, valueMinor: bigint): object => {
      return { kind: 'done', transaction: { state, valueMinor } }
    }
    assert.deepEqual(await settled(done('approved', 500n)), [])
    assert.deepEqual(await settled(done('approved', 200n)), ['release 300'])
    assert.deepEqual(await settled(done('declined', 500n)), ['release 500'])
    assert.deepEqual(await settled(done('failed', 500n)), ['release 500'])
    assert.deepEqual(await settled(done('running', 500n)), [])
    assert.deepEqual(await settled(done('pending', 500n)), [])
    assert.deepEqual(await settled({ kind: 'claimed_meanwhile' }), ['release 500'])
    assert.deepEqual(await settled({ kind: 'refused' }), ['release 500'])
  })

  test('a payment ends as it did if its part cannot be released', async () => {
    const volumes = {
      reserve: async () => true,
      release: () => Promise.reject(new Error('the database is away')),
    }
    await settleVolume({ volumes }, { volume: PART }, { kind: 'claimed_meanwhile' })
  })
})
