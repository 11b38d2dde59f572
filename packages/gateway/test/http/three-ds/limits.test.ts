import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aGateway, formOf } from '../fake-gateway.ts'

const PREPARE = '/payment/3dsrequest.cfm'
const PAGES = [
  '/V2/Cruise/Collect',
  '/V2/Cruise/Collect/data',
  '/V2/Cruise/MethodNotify',
  '/V2/Cruise/StepUp',
  '/V2/Cruise/Term',
]

function post(gateway: ReturnType<typeof aGateway>, url: string, payload: string) {
  return gateway.app.inject({
    method: 'POST',
    url,
    payload,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
}

test('3dsrequest.cfm counts towards the volume of its user, and refuses requests above the limit', async () => {
  const asked: bigint[] = []
  const gateway = aGateway({ allowRequest: ({ id }) => asked.push(id) === 0 })
  const answer = await post(gateway, PREPARE, formOf({ PMT_BIN: '400000' }))
  assert.equal(answer.statusCode, 429)
  assert.equal(answer.headers['retry-after'], '1')
  assert.equal(answer.json<{ SERVICE_RESPONSE: string }>().SERVICE_RESPONSE, '215')
  assert.deepEqual(asked, [1n])
})

test('a gateway that is not ready answers 503 at every address of 3-D Secure', async () => {
  const gateway = aGateway({ isReady: () => false })
  for (const url of [PREPARE, ...PAGES]) {
    const answer = await post(gateway, url, formOf({}))
    assert.equal(answer.statusCode, 503, url)
    assert.equal(answer.headers['retry-after'], '1')
    assert.equal(answer.headers['cache-control'], 'no-store')
  }
})

test('without its database 3dsrequest.cfm and the pages answer 503, and no error is logged', async () => {
  const away = () => Promise.reject(new Error('away'))
  const gateway = aGateway({
    isUnavailable: () => true,
    prepareCollection: away,
    collectBrowser: { open: away, keep: away, methodDone: away },
    challengePages: { open: away, status: away, comeBack: away },
  })
  for (const url of [PREPARE, ...PAGES]) {
    const answer = await post(gateway, url, formOf({ PMT_BIN: '400000' }))
    assert.equal(answer.statusCode, 503, url)
  }
  assert.equal(gateway.programLog().includes('fault'), false)
})

test('an internal error is answered without its text, and logged without values', async () => {
  const broken = () => Promise.reject(new Error('4000000000002701 leaked'))
  const gateway = aGateway({
    prepareCollection: broken,
    challengePages: { open: broken, status: broken, comeBack: broken },
  })
  const asked = await post(gateway, PREPARE, formOf({ PMT_BIN: '400000' }))
  assert.equal(asked.json<{ API_RESPONSE: string }>().API_RESPONSE, '120')
  const page = await post(gateway, '/V2/Cruise/StepUp', 'JWT=x')
  assert.equal(page.statusCode, 500)
  for (const text of [asked.body, page.body, gateway.programLog()])
    assert.equal(text.includes('2701'), false)
})

test('a body above 64 KiB is not read', async () => {
  const gateway = aGateway()
  for (const url of [PREPARE, ...PAGES]) {
    const { statusCode } = await post(gateway, url, `JWT=${'x'.repeat(70_000)}`)
    assert.equal(statusCode, 413, url)
  }
})
