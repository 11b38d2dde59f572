import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FollowUp, NO_FOLLOW_UP } from '../../../src/usecases/payments/follow-up.ts'
import { aGateway, aTransaction, SALE } from '../fake-gateway.ts'

const LATER: FollowUp = {
  merchantAdvice: '24',
  accountUpdate: 'Q',
  retry: { kind: 'after', at: new Date('2026-11-02T04:04:05.678Z') },
}
/** The date is rounded up: a second early would be too early. */
const LATER_TEXTS = ['24', 'Mon, 02 Nov 2026 04:04:06 GMT', 'ask']
const HEADERS = ['tollgate-advice-code', 'tollgate-retry-after', 'tollgate-account-update']
const COLUMNS = ['TRANS_ADVICE_CODE', 'TRANS_RETRY_AFTER', 'TRANS_ACCOUNT_UPDATE']

/** The gateway of a live account: no answer of it has a header of the sandbox. */
function paying(followUp: FollowUp, repeat: { replayed?: true } = {}) {
  const transaction = aTransaction({ state: 'declined', followUp })
  return aGateway({ takePayment: async () => ({ kind: 'done', transaction, ...repeat }) })
}

const headersOf = (reply: { readonly headers: Record<string, unknown> }): unknown[] =>
  HEADERS.map((name) => reply.headers[name])

test('a live decline has the advice code, the next attempt and the account update in headers', async () => {
  const reply = await paying(LATER).send(SALE)
  assert.deepEqual(headersOf(reply), LATER_TEXTS)
  assert.deepEqual(
    Object.keys(reply.headers).filter((name) => name.startsWith('tollgate')),
    ['tollgate-request-id', ...HEADERS],
  )
  assert.doesNotMatch(reply.body, /ADVICE_CODE|RETRY_AFTER|ACCOUNT_UPDATE/)
})

test('a replayed decline has the same headers as the first answer', async () => {
  const reply = await paying(LATER, { replayed: true }).send(SALE)
  assert.deepEqual(headersOf(reply), LATER_TEXTS)
  assert.equal(reply.headers['idempotency-replayed'], 'true')
})

test('a payment of which the bank says nothing more has none of the three headers', async () => {
  assert.deepEqual(headersOf(await paying(NO_FOLLOW_UP).send(SALE)), [
    undefined,
    undefined,
    undefined,
  ])
})

test('each kind of advice has a word of its own', async () => {
  const words = { never: 'never', new_data: 'new-data', authenticate: 'authenticate' } as const
  for (const kind of ['never', 'new_data', 'authenticate'] as const) {
    const reply = await paying({ ...NO_FOLLOW_UP, retry: { kind } }).send(SALE)
    assert.deepEqual(headersOf(reply), [undefined, words[kind], undefined])
  }
})

test('CCSTATUS has the three columns only for a request that asks for them', async () => {
  const gateway = aGateway({
    readOrder: async () => ({
      events: [
        {
          transaction: aTransaction({ state: 'declined', followUp: LATER }),
          origin: 'api',
          at: new Date('2026-11-02T03:04:05.678Z'),
          requestId: 1n,
          membershipReference: '',
          batchClosed: false,
        },
      ],
      isTruncated: false,
    }),
  })
  const asked = { REQUEST_ACTION: 'CCSTATUS', REQUEST_REF_PO_ID: '5' }
  const plain = (await gateway.send(asked)).json() as { COLUMNS: string[] }
  const reply = await gateway.send({ ...asked, REQUEST_RETRY_ADVICE: '1' })
  const rich = reply.json() as { COLUMNS: string[]; DATA: unknown[][] }
  assert.deepEqual(rich.COLUMNS, [...plain.COLUMNS, ...COLUMNS])
  assert.deepEqual(rich.DATA[0]?.slice(-3), LATER_TEXTS)
  const off = (await gateway.send({ ...asked, REQUEST_RETRY_ADVICE: '0' })).json()
  assert.deepEqual(off['COLUMNS'], plain.COLUMNS)
})
