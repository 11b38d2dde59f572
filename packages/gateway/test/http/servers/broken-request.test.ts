import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aGateway, aTransaction, formOf, PAN, SALE } from '../fake-gateway.ts'
import { assertNoBytesLogged, converse, listening } from './raw-conversation.ts'

const PATH = '/payment/pmt_service.cfm'

test('bytes that are no HTTP are 400, and are not logged', async (t) => {
  const gateway = aGateway()
  const base = await listening(t, gateway)
  assert.match(await converse(base, `PMT_NUMB=${PAN}\r\n\r\n`, 'write'), /^HTTP\/1\.1 400 /)
  assertNoBytesLogged(gateway)
})

const SHORT_BODY = 'Host: localhost\r\nConnection: close\r\nContent-Length: 500\r\n\r\n'

test('a payment request that is no HTTP is 400 with API 113 in the format of the address, and is not logged', async (t) => {
  const gateway = aGateway()
  const base = await listening(t, gateway)
  for (const broken of [
    `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nX-A : ${PAN}\r\n\r\n`,
    `POST ${PATH}?pmt_numb=${PAN} HTTP/1.1\r\nContent-Length: x\r\n\r\n`,
  ]) {
    const received = await converse(base, broken, 'write')
    const [head = '', body = ''] = received.split('\r\n\r\n')
    assert.match(head, /^HTTP\/1\.1 400 .*Content-Type: application\/xml.*Connection: close$/is)
    assert.match(head, new RegExp(`Content-Length: ${Buffer.byteLength(body)}\r`))
    assert.match(body, /<REQ_ID\/>.*<API_RESPONSE>113<.*<API_ADVICE>Invalid Data<.*<\/RESPONSE>$/s)
  }
  for (const path of ['/welcome', '/'])
    assert.match(
      await converse(base, `POST ${path} HTTP/1.1\r\nX-A : ${PAN}\r\n\r\n`, 'write'),
      /^HTTP\/1\.1 400 .*Content-Length: 0\r\nConnection: close\r\n\r\n$/s,
    )
  assert.deepEqual(gateway.payments, [])
  assertNoBytesLogged(gateway)
})

test('a payment request that ends before its body does is 400 with API 113', async (t) => {
  const gateway = aGateway()
  const base = await listening(t, gateway)
  const bytes = `POST ${PATH} HTTP/1.1\r\n${SHORT_BODY}PMT_NUMB=${PAN}&`
  const received = await converse(base, bytes, 'end')
  assert.match(received, /^HTTP\/1\.1 400 .*<API_RESPONSE>113</s)
  assert.deepEqual(gateway.payments, [])
  assertNoBytesLogged(gateway)
})

test('bytes after a payment that is under way do not replace its answer', async (t) => {
  const started = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const gateway = aGateway({
    takePayment: async () => {
      started.resolve()
      await release.promise
      return { kind: 'done', transaction: aTransaction() }
    },
  })
  const base = await listening(t, gateway)
  const body = formOf(SALE)
  const payment = `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const received = converse(base, `${payment}POST ${PATH} HTTP/1.1\r\nX-A : 1\r\n\r\n`, 'write')
  await started.promise
  release.resolve()
  const answer = await received
  assert.match(answer, /^HTTP\/1\.1 200 .*connection: close.*"TRANS_STATUS_NAME":"APPROVED"/is)
  assert.doesNotMatch(answer, / 400 /)
})
