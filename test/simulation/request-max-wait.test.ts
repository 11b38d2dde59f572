import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MerchantAccount } from '../../packages/gateway/src/usecases/merchants/merchant-directory.ts'
import { createTakePayment } from '../../packages/gateway/src/usecases/payments/take-payment.ts'
import type { TransactionView } from '../../packages/gateway/src/usecases/payments/transaction-view.ts'
import type { Collection } from '../../packages/gateway/src/usecases/three-ds/authentication-store.ts'
import type { ThreeDsDeps } from '../../packages/gateway/src/usecases/three-ds/three-ds-deps.ts'
import type { ThreeDsRequest } from '../../packages/gateway/src/usecases/three-ds/three-ds-request.ts'
import { paymentCommand } from './merchant.ts'
import { NO_MEMBERSHIPS, NO_REBILLS } from './no-memberships.ts'
import { NO_THREE_DS } from './no-three-ds.ts'

const NOW = new Date(Date.UTC(2026, 10, 21, 12))

const ENROLMENT: ThreeDsRequest = {
  kind: 'enrol',
  reference: '1-1',
  returnUrl: 'https://shop.example/back',
  window: '05',
  browser: {
    acceptHeader: '*/*',
    userAgent: 'Mozilla/5.0',
    language: 'en',
    javaEnabled: null,
    javascriptEnabled: null,
    colorDepth: null,
    screenHeight: null,
    screenWidth: null,
    timeZone: null,
    ip: '',
  },
  recurring: null,
}

/** An issuer that takes so long to say that it cannot authenticate. */
function slowIssuer(account: MerchantAccount, siteId: bigint, take: () => void): ThreeDsDeps {
  const { id, mode } = account
  const collection: Collection = {
    reference: '1-1',
    siteId,
    mode,
    merchantAccountId: id,
    leadingDigits: '4',
    serverTransId: '',
    state: 'used',
    browser: null,
    methodUrl: null,
    methodState: 'none',
    expiresAt: new Date(NOW.getTime() + 1),
  }
  return {
    ...NO_THREE_DS,
    newServerTransId: () => '',
    newProcTransId: () => '',
    notice: () => undefined,
    server: {
      ...NO_THREE_DS.server,
      isSetUp: () => true,
      findRange: () => ({ version: '2.2.0', methodUrl: null }),
      authenticate: () => {
        take()
        return Promise.resolve({ kind: 'unavailable', cause: '402', detail: '' })
      },
    },
    store: {
      ...NO_THREE_DS.store,
      findCollection: () => Promise.resolve(collection),
      begin: () => Promise.resolve(true),
      consume: () => Promise.resolve('running'),
    },
  }
}

/**
 * The gateway's wait for the bank, when a request limits its time and an issuer used some of it.
 */
async function waitedMs(
  bankTimeoutMs: number,
  maxWaitS: number | null,
  issuerMs: number | null = null,
): Promise<number> {
  let waited = -1
  let nowMs = 0
  let lastId = 0n
  const notAsked = (): never => {
    throw new Error('Nothing of this is needed for a payment without reference and customer.')
  }
  const given = paymentCommand(1n, {
    kind: 'authorization',
    lines: [1_000n],
    script: 'approve',
    reference: '',
    duplicates: 'allow',
    partialAllowed: false,
    cardExpired: false,
    key: '',
  })
  const [first] = given.site.merchantAccounts
  assert.ok(first !== undefined)
  const account = { ...first, threeDs: { requestorId: '1', requestorUrl: 'https://shop.example' } }
  const site = { ...given.site, merchantAccounts: [account] }
  const takePayment = createTakePayment({
    store: {
      intend: () => Promise.resolve(true),
      conclude: () => Promise.resolve({ batchId: null }),
      findClaim: notAsked,
      findSavedCard: notAsked,
      findCustomerOfLogin: notAsked,
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
    cardTesting: { screen: notAsked, endedLater: notAsked },
    threeDs:
      issuerMs === null ? NO_THREE_DS : slowIssuer(account, site.id, () => (nowMs += issuerMs)),
    memberships: NO_MEMBERSHIPS,
    rebills: NO_REBILLS,
    volumes: { reserve: async () => true, release: async () => undefined },
    cardRenewed: async () => undefined,
    keys: { findKey: notAsked, takeKey: notAsked },
    vault: {
      seal: async () => ({ sealed: { ciphertext: '', dataKeyId: 1 }, fingerprint: '' }),
      reveal: notAsked,
      isReadable: () => true,
    },
    tokens: { find: notAsked, take: notAsked },
    clock: { now: () => NOW },
    nextId: () => (lastId += 1n),
    digest: () => '',
    findTransaction: () => Promise.resolve({} as TransactionView),
    awaitClaim: notAsked,
    adviceQueued: () => undefined,
    monotonicMs: () => nowMs,
    pause: notAsked,
    bankTimeoutMs,
  })
  await takePayment({ ...given, site, maxWaitS, threeDs: issuerMs === null ? null : ENROLMENT })
  return waited
}

test('the bank is waited for no longer than REQUEST_MAX_WAIT, and never longer than the time-out', async () => {
  assert.equal(await waitedMs(60_000, null), 60_000)
  assert.equal(await waitedMs(60_000, 30), 30_000)
  assert.equal(await waitedMs(25_000, 600), 25_000)
})

test("the issuer's time is deducted from the bank's, and leaves the bank at least five seconds", async () => {
  assert.equal(await waitedMs(25_000, null, 10_000), 15_000)
  assert.equal(await waitedMs(60_000, 30, 10_000), 20_000)
  assert.equal(await waitedMs(25_000, null, 24_000), 5_000)
  assert.equal(await waitedMs(1_000, null, 10_000), 1_000)
})
