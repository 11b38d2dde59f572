import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aGateway, SALE } from '../fake-gateway.ts'

const ENROL = {
  ...SALE,
  REQUEST_ENROLLMENT: '1',
  DDC_REFERENCEID: '700001-2001',
  P3DS_RETURN_URL: 'https://shop.example/back',
  P3DS_BROWSER_LANGUAGE: 'en-US',
  USER_AGENT_XTL: 'Mozilla/5.0',
  P3DS_BROWSER_HEADER: 'text/html',
}

async function logOf(params: Record<string, string | undefined>): Promise<Record<string, unknown>> {
  const gateway = aGateway()
  await gateway.send(params)
  const [entry] = gateway.logged
  assert.ok(entry !== undefined)
  return JSON.parse(entry.parameters) as Record<string, unknown>
}

test('the request log says which part of the browser was missing when 3-D Secure was skipped', async () => {
  const { WARNINGS } = await logOf({ ...ENROL, P3DS_BROWSER_HEADER: '' })
  assert.deepEqual(WARNINGS, ['3-D Secure was skipped: P3DS_BROWSER_HEADER is missing.'])
  const none = await logOf({ ...SALE, REQUEST_ENROLLMENT: '1' })
  assert.deepEqual(none['WARNINGS'], [
    '3-D Secure was skipped: P3DS_BROWSER_LANGUAGE, USER_AGENT_XTL, P3DS_BROWSER_HEADER are missing.',
  ])
})

test('the request log warns of nothing else', async () => {
  const others = [
    SALE,
    ENROL,
    { ...ENROL, P3DS_BROWSER_HEADER: '', REQUEST_ENROLLMENT: '0' },
    { ...ENROL, P3DS_BROWSER_HEADER: '', P3DS_PROCTRANSID: 'a' },
    { ...ENROL, P3DS_BROWSER_HEADER: '', LI_VALUE_1: '' },
    { ...ENROL, P3DS_BROWSER_HEADER: '', REQUEST_ACTION: 'CCCREDIT', FORCE_CREDIT: '1' },
  ]
  for (const params of others) assert.equal((await logOf(params))['WARNINGS'], undefined)
})

test("the request log shows the browser, and neither the CAVV nor the challenge's result", async () => {
  const cavv = 'AAABBJkZUQAAAABjRWWZEEFgFz8='
  const shown = await logOf({
    ...ENROL,
    P3DS_CAVV: cavv,
    P3DS_XID: 'xid-1',
    REQUEST_PARES: 'aaa.bbb.ccc',
  })
  assert.equal(shown['P3DS_BROWSER_LANGUAGE'], 'en-US')
  assert.equal(shown['USER_AGENT_XTL'], 'Mozilla/5.0')
  assert.equal(shown['P3DS_RETURN_URL'], 'https://shop.example/back')
  const text = JSON.stringify(shown)
  for (const secret of [cavv, 'xid-1', 'aaa.bbb']) assert.ok(!text.includes(secret), secret)
})
