import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../../src/base/secret.ts'
import { payUnderKey, type PayUnderKeyDeps } from '../../../src/usecases/payments/pay-under-key.ts'
import type { PaymentCommand } from '../../../src/usecases/payments/payment-command.ts'
import type { TransactionView } from '../../../src/usecases/payments/transaction-view.ts'
import type { OpenChallenge } from '../../../src/usecases/three-ds/authentication-store.ts'

const PENDING = { state: 'pending', transactionId: 1n } as TransactionView
const ASKING = { ...PENDING, threeDs: { response: '' } } as TransactionView
const CHALLENGED = { ...PENDING, threeDs: { response: 'C' } } as TransactionView
const COMMAND = { site: { id: 1001n } } as unknown as PaymentCommand

test('a repeat that reads the payment just before its challenge begins answers with the challenge', async () => {
  const readings = [ASKING, CHALLENGED]
  const deps = {
    digest: (text: string) => text,
    keys: {
      findKey: async () => ({ content: 'idempotent request|the form', transactionId: 1n }),
    },
    monotonicMs: () => 0,
    findTransaction: async () => readings.shift() ?? null,
    awaitClaim: () => Promise.reject(new Error('the challenge is there')),
    threeDs: {
      store: { findChallenge: async () => ({}) as OpenChallenge },
      tokens: { sign: async () => 'a token' },
      encodeChallenge: () => 'CReq',
      stepUpUrl: 'https://pay.example/step-up',
    },
  } as unknown as PayUnderKeyDeps
  const repeatable = { key: new Secret('a key'), content: new Secret('the form') }
  const pay = () => Promise.reject(new Error('the key is taken'))

  const answer = await payUnderKey(deps, COMMAND, repeatable, pay)
  assert.equal(answer.kind, 'done')
  assert.deepEqual(answer.kind === 'done' && answer.transaction.threeDs, {
    response: 'C',
    challenge: { url: 'https://pay.example/step-up', payload: 'a token' },
  })
})
