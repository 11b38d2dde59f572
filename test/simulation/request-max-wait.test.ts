import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTakePayment } from '../../packages/gateway/src/usecases/take-payment.ts'
import { paymentCommand } from './merchant.ts'
import { NO_MEMBERSHIPS, NO_REBILLS } from './no-memberships.ts'
import { NO_THREE_DS } from './no-three-ds.ts'

const NOW = new Date(Date.UTC(2026, 10, 21, 12))

/** How long the bank is waited for when a request says how long it may take. */
async function waitedMs(bankTimeoutMs: number, maxWaitS: number | null): Promise<number> {
  let waited = -1
  let lastId = 0n
  const notAsked = (): never => {
    throw new Error('Nothing of this is needed for a payment without reference and customer.')
  }
  const takePayment = createTakePayment({
    store: {
      intend: () => Promise.resolve(true),
      conclude: () => Promise.resolve({ batchId: null }),
      findClaim: notAsked,
      findSavedCard: notAsked,
      claimLogin: notAsked,
      releaseLogin: notAsked,
    },
    processor: {
      authorize: (_request, timeoutMs) => {
        waited = timeoutMs
        return Promise.resolve({ kind: 'not_sent', reason: 'link_down' })
      },
      deliver: notAsked,
      retrievalReference: () => '',
      entryMode: () => '812',
    },
    cardTesting: { screen: notAsked },
    threeDs: NO_THREE_DS,
    memberships: NO_MEMBERSHIPS,
    rebills: NO_REBILLS,
    vault: { seal: () => ({ ciphertext: '', dataKeyId: 1 }), fingerprint: () => '', reveal: notAsked, isReadable: () => true },
    tokens: { find: notAsked, take: notAsked },
    clock: { now: () => NOW },
    nextId: () => (lastId += 1n),
    digest: notAsked,
    findTransaction: notAsked,
    awaitClaim: notAsked,
    adviceQueued: () => undefined,
    monotonicMs: () => 0,
    pause: notAsked,
    bankTimeoutMs,
  })
  const command = paymentCommand(1n, {
    kind: 'authorize',
    lines: [1_000n],
    script: 'approve',
    reference: '',
    duplicates: 'allow',
    partialAllowed: false,
    cardExpired: false,
  })
  await takePayment({ ...command, maxWaitS })
  return waited
}

test('the bank is waited for no longer than REQUEST_MAX_WAIT, and never longer than the time-out', async () => {
  assert.equal(await waitedMs(60_000, null), 60_000)
  assert.equal(await waitedMs(60_000, 30), 30_000)
  assert.equal(await waitedMs(25_000, 600), 25_000)
})
