import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CardNumber } from '../../../src/domain/payments/card-number.ts'
import type { Collection } from '../../../src/usecases/three-ds/authentication-store.ts'
import { prepareQuestion } from '../../../src/usecases/three-ds/find-enrolment.ts'

const METHOD = 'https://acs.example/method'
const COLLECTION: Collection = {
  reference: '1-2001',
  siteId: 1001n,
  mode: 'test',
  merchantAccountId: 2001n,
  leadingDigits: '400000',
  serverTransId: 'own',
  state: 'collecting',
  browser: null,
  methodUrl: METHOD,
  methodState: 'running',
  expiresAt: new Date(0),
}

/** The data of the request when the page shows these states at its reads; and the waiting time. */
async function asked(
  reads: readonly Partial<Collection>[],
  found: Partial<Collection> = {},
): Promise<{ readonly said: string; readonly waitedMs: number }> {
  let nowMs = 0
  let read = 0
  const deps = {
    server: { findRange: () => ({ version: '2.2.0', methodUrl: METHOD }) },
    store: {
      findCollection: async () => ({ ...COLLECTION, ...reads[Math.min(read++, reads.length - 1)] }),
      takeCollection: async () => true,
    },
    newServerTransId: () => 'new',
  } as unknown as Parameters<typeof prepareQuestion>[0]
  const patience = {
    monotonicMs: () => nowMs,
    pause: async (ms: number) => {
      nowMs += ms
    },
  }
  const payment = {
    pan: new CardNumber('4000000000002701'),
    command: { site: { mode: 'test' } },
  } as unknown as Parameters<typeof prepareQuestion>[2]
  const browser = { timeZone: null, javascriptEnabled: null }
  const enrolment = {
    request: { reference: COLLECTION.reference, browser },
    collection: { ...COLLECTION, ...found },
  } as unknown as Parameters<typeof prepareQuestion>[3]
  const question = await prepareQuestion(deps, patience, payment, enrolment)
  return { said: `${question?.serverTransId} ${question?.methodCompletion}`, waitedMs: nowMs }
}

test('the gateway waits for an unfinished page until it is done', async () => {
  const done = { state: 'collected', methodState: 'completed' } as const
  assert.deepEqual(await asked([{}, { state: 'collected' }, done]), {
    said: 'own Y',
    waitedMs: 300,
  })
})

test('a page that never ends is waited for three seconds, and its method was not completed', async () => {
  assert.deepEqual(await asked([{}]), { said: 'own N', waitedMs: 3_000 })
})

test('a page that was never opened, is done or was used is not waited for', async () => {
  assert.deepEqual(await asked([{}], { state: 'set_up', methodState: 'none' }), {
    said: 'own N',
    waitedMs: 0,
  })
  assert.deepEqual(await asked([{}], { state: 'collected', methodState: 'completed' }), {
    said: 'own Y',
    waitedMs: 0,
  })
  assert.deepEqual(await asked([{}], { state: 'used', methodState: 'completed' }), {
    said: 'new N',
    waitedMs: 0,
  })
})

test('another card is not waited for, and gets an id of its own', async () => {
  assert.deepEqual(await asked([{}], { leadingDigits: '520000' }), { said: 'new N', waitedMs: 0 })
})

test('a method of another range is not that of the card', async () => {
  const other = {
    state: 'collected',
    methodState: 'completed',
    methodUrl: 'https://other.example/method',
  } as const
  assert.deepEqual(await asked([other], other), { said: 'own N', waitedMs: 0 })
})
