import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  ThreeDsView,
  TransactionView,
} from '../../../src/usecases/payments/transaction-view.ts'
import { aGateway, aTransaction, SALE } from '../fake-gateway.ts'

const AUTHENTICATED: ThreeDsView = {
  response: 'Y',
  eci: '05',
  procTransId: 'Abcdefghij0123456789',
  version: '2.2.0',
  dsTransId: 'f25084f0-5b16-4c0a-ae5d-b24808a95e4b',
  cardholderInfo: '',
  challenge: null,
}
const PENDING: ThreeDsView = {
  ...AUTHENTICATED,
  response: 'C',
  eci: '',
  challenge: { url: 'https://pay.example/V2/Cruise/StepUp', payload: 'aaa.bbb.ccc' },
}

async function answer(changes: Partial<TransactionView>, format: string): Promise<string> {
  const transaction = aTransaction(changes)
  const gateway = aGateway({ takePayment: async () => ({ kind: 'done', transaction }) })
  return (await gateway.send({ ...SALE, REQUEST_RESPONSE_FORMAT: format })).body
}

/** Names and values from P3DS_VENDOR to the field behind the last of 3-D Secure, as they stand. */
function part(body: string, from: string, to: string): string {
  return body.slice(body.indexOf(from), body.indexOf(to))
}

test('a payment without 3-D Secure has the two empty fields and none of the others', async () => {
  const body = await answer({}, 'JSON')
  assert.ok(body.includes('"P3DS_VENDOR":"","P3DS_RESPONSE":"","TRANS_NTOKEN_USED":0'))
  assert.ok(body.includes('"PROC_REDIRECT_URL":""'))
  assert.deepEqual(body.match(/P3DS_\w+/g), ['P3DS_VENDOR', 'P3DS_RESPONSE'])
})

test('an answer has the result and indicator of an authenticated payment, all as texts, in JSON', async () => {
  assert.equal(
    part(await answer({ threeDs: AUTHENTICATED }, 'JSON'), '"P3DS_VENDOR', '"TRANS_NTOKEN'),
    '"P3DS_VENDOR":"","P3DS_RESPONSE":"Y","P3DS_ECI":"05",' +
      '"P3DS_PROCTRANSID":"Abcdefghij0123456789","P3DS_PROCVERSION":"2.2.0",' +
      '"P3DS_TRANSID":"f25084f0-5b16-4c0a-ae5d-b24808a95e4b",',
  )
})

test('an id of digits alone stays a text in JSON', async () => {
  const body = await answer({ threeDs: { ...AUTHENTICATED, procTransId: '12345678901' } }, 'JSON')
  assert.ok(body.includes('"P3DS_PROCTRANSID":"12345678901"'))
})

test('a PENDING answer names the challenge under both generations of names, in JSON', async () => {
  const body = await answer({ state: 'pending', threeDs: PENDING }, 'JSON')
  assert.ok(body.includes('"TRANS_STATUS_NAME":"PENDING"'))
  assert.ok(body.includes('"PROC_REDIRECT_URL":"https://pay.example/V2/Cruise/StepUp"'))
  assert.equal(
    part(body, '"P3DS_VENDOR', '"TRANS_NTOKEN'),
    '"P3DS_VENDOR":"","P3DS_RESPONSE":"C",' +
      '"P3DS_ACS_URL":"https://pay.example/V2/Cruise/StepUp","P3DS_PAYLOAD":"aaa.bbb.ccc",' +
      '"P3DS_ECI":"","P3DS_PROCTRANSID":"Abcdefghij0123456789","P3DS_PROCVERSION":"2.2.0",' +
      '"P3DS_TRANSID":"f25084f0-5b16-4c0a-ae5d-b24808a95e4b","P3DS_JWT":"aaa.bbb.ccc",',
  )
})

test('a PENDING answer has the same fields in the same order in XML and PIPES', async () => {
  const changes = { state: 'pending', threeDs: PENDING } as const
  const xml = await answer(changes, 'XML')
  assert.equal(
    part(xml, '<P3DS_VENDOR', '<TRANS_NTOKEN'),
    '<P3DS_VENDOR/><P3DS_RESPONSE>C</P3DS_RESPONSE>' +
      '<P3DS_ACS_URL>https://pay.example/V2/Cruise/StepUp</P3DS_ACS_URL>' +
      '<P3DS_PAYLOAD>aaa.bbb.ccc</P3DS_PAYLOAD><P3DS_ECI/>' +
      '<P3DS_PROCTRANSID>Abcdefghij0123456789</P3DS_PROCTRANSID>' +
      '<P3DS_PROCVERSION>2.2.0</P3DS_PROCVERSION>' +
      '<P3DS_TRANSID>f25084f0-5b16-4c0a-ae5d-b24808a95e4b</P3DS_TRANSID>' +
      '<P3DS_JWT>aaa.bbb.ccc</P3DS_JWT>',
  )
  const pipes = await answer(changes, 'PIPES')
  assert.equal(
    part(pipes, 'P3DS_VENDOR', 'TRANS_NTOKEN'),
    'P3DS_VENDOR=||P3DS_RESPONSE=C||P3DS_ACS_URL=https://pay.example/V2/Cruise/StepUp||' +
      'P3DS_PAYLOAD=aaa.bbb.ccc||P3DS_ECI=||P3DS_PROCTRANSID=Abcdefghij0123456789||' +
      'P3DS_PROCVERSION=2.2.0||P3DS_TRANSID=f25084f0-5b16-4c0a-ae5d-b24808a95e4b||' +
      'P3DS_JWT=aaa.bbb.ccc||',
  )
})

test("the issuer's words to the customer are passed on, and only where there are some", async () => {
  const cardholderInfo = 'Call us <now> | "please"'
  const json = await answer(
    { state: 'declined', threeDs: { ...AUTHENTICATED, cardholderInfo } },
    'JSON',
  )
  assert.equal(JSON.parse(json).P3DS_CARDHOLDER_INFO, cardholderInfo)
  const pipes = await answer({ threeDs: { ...AUTHENTICATED, cardholderInfo } }, 'PIPES')
  assert.ok(pipes.includes('P3DS_CARDHOLDER_INFO=Call us <now> ¦ "please"||TRANS_NTOKEN_USED'))
  assert.ok(!(await answer({ threeDs: AUTHENTICATED }, 'JSON')).includes('CARDHOLDER_INFO'))
})
