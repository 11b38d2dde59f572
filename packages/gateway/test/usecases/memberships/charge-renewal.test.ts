import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountDue, chargeUnderWay } from '../../../src/domain/memberships/membership.ts'
import {
  chargeRenewal,
  type ChargeRenewalDeps,
} from '../../../src/usecases/memberships/charge-renewal.ts'
import type {
  ChargeAnswer,
  ChargeConclusion,
  OpenCharge,
} from '../../../src/usecases/memberships/renewal-store.ts'
import type { Site } from '../../../src/usecases/merchants/merchant-directory.ts'
import { CARD, underCharge, utc } from '../../domain/memberships/a-membership.ts'

const DUE = utc('2026-02-28 08:00')

/** The renewal of 28 February, started by a process that has ended. */
function taken(): OpenCharge {
  const membership = underCharge()
  assert.ok(chargeUnderWay(membership))
  return {
    stored: {
      id: 5000n,
      merchantId: 1n,
      siteId: 1001n,
      mode: 'test',
      customerId: 9000n,
      merchantAccountId: 2001n,
      orderId: 600000n,
      orderLineId: 650000n,
      networkTransactionId: '1',
      reference: '',
      createdAt: utc('2026-01-31 08:00'),
      version: 2n,
      membership,
    },
    charge: { dueAt: DUE, attempt: 1, at: DUE, amount: amountDue(membership), cardId: CARD },
    identity: { orderId: 600001n, transactionId: 700001n },
    history: { brand: 'Visa', attempts: [], dataChangedAt: null },
    retryDays: null,
    isTakenOver: true,
    isStopped: false,
    bankTest: null,
  }
}

/** The conclusion where the payment started before has this answer, and no other is asked for. */
async function concluded(
  answer: ChargeAnswer | null,
  site: Partial<Site>,
  isStopped = false,
): Promise<ChargeConclusion> {
  const written: ChargeConclusion[] = []
  const deps = {
    store: {
      findAnswer: async () => answer,
      findOthersOfCard: async () => [],
      conclude: async (conclusion: ChargeConclusion) => {
        written.push(conclusion)
        return true
      },
    },
    takePayment: () => assert.fail('the card was charged'),
    onCharged: () => undefined,
    monotonicMs: () => 0,
    pause: async () => undefined,
  } as unknown as ChargeRenewalDeps
  await chargeRenewal(deps, { ...taken(), isStopped }, {
    id: 1001n,
    mode: 'test',
    hasOwnClock: false,
    ...site,
  } as Site)
  assert.equal(written.length, 1)
  const [conclusion] = written
  assert.ok(conclusion)
  return conclusion
}

test('a renewal whose site went live before it was charged waits without having failed', async () => {
  const { membership, outcome } = await concluded(null, { mode: 'live' })
  assert.equal(outcome, 'forbidden')
  assert.equal(membership.state, 'active')
  assert.deepEqual(membership.next, { kind: 'retry', at: utc('2026-02-28 09:00') })
})

test('a renewal that was started before its merchant was disabled waits, unless it was sent', async () => {
  const { membership, outcome } = await concluded(null, {}, true)
  assert.equal(outcome, 'forbidden')
  assert.deepEqual(membership.next, { kind: 'retry', at: utc('2026-02-28 09:00') })
  const sent: ChargeAnswer = {
    state: 'approved',
    serviceCode: 100,
    responseCode: '00',
    merchantAdvice: '',
    update: null,
  }
  assert.equal((await concluded(sent, {}, true)).outcome, 'approved')
})

test('a renewal that found no bank is made again after an hour, by a clock that is moved as of the same moment', async () => {
  const notSent: ChargeAnswer = {
    state: 'failed',
    serviceCode: 530,
    responseCode: '',
    merchantAdvice: '',
    update: null,
  }
  const real = await concluded(notSent, {})
  assert.deepEqual(real.membership.next, { kind: 'retry', at: utc('2026-02-28 09:00') })
  const moved = await concluded(notSent, { hasOwnClock: true })
  assert.deepEqual(moved.membership.next, { kind: 'retry', at: DUE })
})

test('an approved renewal is paid, with any result of the account updater', async () => {
  const answer: ChargeAnswer = {
    state: 'approved',
    serviceCode: 100,
    responseCode: '00',
    merchantAdvice: '',
    update: 'C',
  }
  const { membership, outcome } = await concluded(answer, {})
  assert.equal(outcome, 'approved')
  assert.equal(membership.state, 'active')
  assert.deepEqual(membership.next, { kind: 'renewal', at: utc('2026-03-31 08:00') })
})
