import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/base/clock.ts'
import { Secret } from '../../../src/base/secret.ts'
import { requestMessage, sign } from '../../../src/http/tokens/signature.ts'
import type { CardTokenRequest } from '../../../src/usecases/card-tokens/create-card-token.ts'
import type { TokenSite } from '../../../src/usecases/card-tokens/token-site.ts'
import { aGateway, PAN } from '../fake-gateway.ts'

const KEY = new Secret('a site key')
const SITE: TokenSite = {
  id: 1001n,
  merchantId: 10n,
  mode: 'test',
  tolerance: 'strict',
  keys: [KEY],
  origins: [],
  clock: systemClock,
}
const TIMESTAMP = '20260101000000'
const TOKEN = 'AB'.repeat(20)

function aService(deps: Parameters<typeof aGateway>[0] = {}) {
  const requests: CardTokenRequest[] = []
  const gateway = aGateway({
    findTokenSite: async (siteId) => (siteId === SITE.id ? SITE : null),
    createCardToken: async (request) => {
      requests.push(request)
      return { kind: 'made', token: new Secret(TOKEN), brand: 'Visa' }
    },
    ...deps,
  })
  const send = (changes: Record<string, string> = {}, query = '', key = KEY) => {
    const form = {
      SITE_ID: '1001',
      UNIQUE_ID: 'u1',
      REQUEST_API_VERSION: '4.14',
      CARD_PAN: PAN,
      ...changes,
    }
    return gateway.app.inject({
      method: 'POST',
      url: `/payment/token_service.cfm${query}`,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-timestamp': TIMESTAMP,
        'x-signature': sign(key, requestMessage(TIMESTAMP, form.UNIQUE_ID, form.SITE_ID)),
      },
      payload: new URLSearchParams(form).toString(),
    })
  }
  return { ...gateway, requests, send }
}

test('a gateway that is not ready accepts no card: 503, and the time to retry', async () => {
  const service = aService({ isReady: () => false })
  const answer = await service.send()
  assert.equal(answer.statusCode, 503)
  assert.equal(answer.headers['retry-after'], '1')
  assert.match(answer.body, /^\{"ERROR_CODE":503,/)
  assert.deepEqual([service.requests, service.logged], [[], []])
})

test('a database that is away is 503 too, and an internal error is 120 without its text', async () => {
  const away = new Error('away')
  const failing = (error: Error) =>
    aService({
      createCardToken: () => Promise.reject(error),
      isUnavailable: (thrown) => thrown === away,
    })
  assert.equal((await failing(away).send()).statusCode, 503)
  const broken = failing(new Error(`no room for ${PAN}`))
  const answer = await broken.send()
  assert.equal(
    `${answer.statusCode} ${answer.body}`,
    '200 {"ERROR_CODE":120,"ERROR_MESSAGE":"System Error","TOKEN_REQID":"700001"}\n',
  )
  assert.ok(!broken.programLog().includes(PAN))
})

test('a site above its limit is refused for a while, and others are not', async () => {
  const asked: bigint[] = []
  const service = aService({
    allowTokenRequest: async (siteId) => {
      asked.push(siteId)
      return false
    },
  })
  const answer = await service.send()
  assert.equal(`${answer.statusCode} ${answer.headers['retry-after']}`, '429 1')
  assert.match(answer.body, /^\{"ERROR_CODE":215,/)
  assert.deepEqual(asked, [1001n])
  await service.send({ SITE_ID: '1002' })
  assert.deepEqual(asked, [1001n], 'only who has the key can use a limit up')
})

test('a card reaches the use case as secrets, blanks and dashes taken out', async () => {
  const service = aService()
  const answer = await service.send({ CARD_PAN: ' 4111-1111 11111111', CARD_CVV: '123' })
  assert.match(answer.body, new RegExp(`"TOKEN_GUID":"${TOKEN}"`))
  const [request] = service.requests
  assert.equal(request?.pan.reveal(), PAN)
  assert.equal(request?.cvv?.reveal(), '123')
  assert.equal(request?.site, SITE)
})

test('the request log names a site only after a signature with its key', async () => {
  const service = aService()
  await service.send()
  await service.send({}, '', new Secret('a key of nobody'))
  await service.send({ SITE_ID: '1002' })
  assert.deepEqual(
    service.logged.map(({ action, siteId, merchantId, apiCode }) => [
      action,
      siteId,
      merchantId,
      apiCode,
    ]),
    [
      ['TOKEN_SERVICE', 1001n, 10n, '0'],
      ['TOKEN_SERVICE', null, null, '121'],
      ['TOKEN_SERVICE', null, null, '502'],
    ],
  )
})

test('a POST is read from its body alone: signature and card of its query are ignored', async () => {
  const service = aService()
  const answer = await service.send({ CARD_PAN: '' }, `?CARD_PAN=${PAN}`)
  assert.match(answer.body, /"ERROR_MESSAGE":"Required field: CARD_PAN"/)
  const inBody = await service.app.inject({
    method: 'POST',
    url: '/payment/token_service.cfm',
    payload: new URLSearchParams({
      SITE_ID: '1001',
      UNIQUE_ID: 'u',
      REQUEST_API_VERSION: '4.14',
      CARD_PAN: PAN,
      'X-TIMESTAMP': TIMESTAMP,
      'X-SIGNATURE': sign(KEY, requestMessage(TIMESTAMP, 'u', '1001')),
    }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.match(inBody.body, /Required field: X-TIMESTAMP/)
})

test('parameters are masked in any spelling', async () => {
  const service = aService()
  await service.send({ card_cvv: '987', Card_Pan: PAN, unknown: PAN })
  const [entry] = service.logged
  assert.ok(!entry?.parameters.includes('987'))
  assert.ok(!entry?.parameters.includes(PAN))
})

test('a unique id that holds the card number is refused, since it is stored unchanged', async () => {
  const service = aService()
  for (const id of [PAN, `u${PAN}`, `${PAN}1`]) {
    const answer = await service.send({ UNIQUE_ID: id, CARD_PAN: '4111 1111 1111 1111' })
    assert.match(answer.body, /"ERROR_MESSAGE":"Invalid Data: UNIQUE_ID"/)
  }
  assert.deepEqual(service.requests, [])
  assert.doesNotMatch(
    JSON.stringify(service.logged.map(({ parameters }) => parameters)),
    new RegExp(PAN),
  )
})
