import { createTokenClient, isTokenAnswerGenuine, TokenRefusedError } from '@tollgate/client'
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { VISA } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { newToken, tokenRequest } from '../support/tokens.ts'

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway?.stop())

const address = () => new URL('/payment/token_service.cfm', gateway.baseUrl)
const keyOf = (siteId: number) => `sandbox-site-key-${siteId}`

interface Sent {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  /** The code of a refusal and what its message names, or `made`. */
  readonly said: string
}

async function send(
  changes: Readonly<Record<string, string | null>> = {},
  options: { siteId?: number; at?: Date; origin?: string } = {},
): Promise<Sent> {
  const { form, headers } = tokenRequest(changes, options)
  const { origin } = options
  const response = await fetch(address(), {
    method: 'POST',
    body: form,
    headers: { ...headers, ...(origin === undefined ? {} : { origin }) },
  })
  return read(response)
}

async function read(response: Response): Promise<Sent> {
  const body = await response.text()
  const code = /ERROR_CODE(?:":|>)([0-9]+)/.exec(body)?.[1]
  const named = /ERROR_MESSAGE(?:":"|>)[^<"]*: ([A-Z_-]+)[<"]/.exec(body)?.[1] ?? ''
  const said = code === undefined ? 'made' : `${code} ${named}`.trim()
  return { status: response.status, headers: response.headers, body, said }
}

function signedBy(siteId: number, { headers, body }: Sent): boolean {
  const timestamp = headers.get('x-timestamp')
  const signature = headers.get('x-signature')
  return isTokenAnswerGenuine({ siteKey: keyOf(siteId), body, timestamp, signature })
}

suite('the answer', () => {
  test('the answer of the token service in JSON has its fields in the documented order and a line end that is not signed', async () => {
    const { body, headers, status } = await send()
    assert.equal(status, 200)
    assert.match(
      body,
      /^\{"TOKEN_GUID":"[0-9A-F]{40}","CARD_BRAND_NAME":"Visa","CARD_TYPE":"","CARD_BANK":"","CARD_COUNTRY":"","CARD_ACCOUNT_FUND_SOURCE":"","CARD_CLASS":"","TOKEN_IP":"127\.0\.0\.1","TOKEN_REQID":"[0-9]+"\}\n$/,
    )
    const id = (JSON.parse(body) as Record<string, string>)['TOKEN_REQID'] ?? ''
    const message = `${headers.get('x-timestamp')}${id}${body.slice(0, -1)}`
    const expected = createHmac('sha256', keyOf(1001)).update(message, 'latin1').digest('hex')
    assert.equal(headers.get('x-signature'), expected)
    assert.equal(headers.get('cache-control'), 'no-store')
  })

  test('the answer of the token service in XML has a lower-case root and the same fields', async () => {
    const sent = await send({ REQUEST_RESPONSE_FORMAT: 'xml' })
    assert.match(
      sent.body,
      /^<\?xml version="1\.0" encoding="UTF-8"\?><response><TOKEN_GUID>[0-9A-F]{40}<\/TOKEN_GUID><CARD_BRAND_NAME>Visa<\/CARD_BRAND_NAME><CARD_TYPE\/><CARD_BANK\/><CARD_COUNTRY\/><CARD_ACCOUNT_FUND_SOURCE\/><CARD_CLASS\/><TOKEN_IP>127\.0\.0\.1<\/TOKEN_IP><TOKEN_REQID>[0-9]+<\/TOKEN_REQID><\/response>\n$/,
    )
    assert.ok(signedBy(1001, sent))
    const refused = await send({ REQUEST_RESPONSE_FORMAT: 'XML', 'X-SIGNATURE': 'a'.repeat(64) })
    assert.match(
      refused.body,
      /<response><ERROR_CODE>121<\/ERROR_CODE><ERROR_MESSAGE>Get CCtoken GUID signature match fail</,
    )
  })

  test('leaves the brand of an unknown number empty', async () => {
    assert.match((await send({ CARD_PAN: '9999999999999995' })).body, /"CARD_BRAND_NAME":""/)
  })

  test('the answer of the token service passes the check of its signature by the client, and a changed one does not', async () => {
    const sent = await send()
    assert.ok(signedBy(1001, sent))
    assert.ok(!signedBy(1003, sent))
    assert.ok(!signedBy(1001, { ...sent, body: sent.body.replace('Visa', 'JCB') }))
    const late = {
      timestamp: sent.headers.get('x-timestamp'),
      signature: sent.headers.get('x-signature'),
    }
    const at = new Date(Date.now() + 302_000)
    assert.ok(!isTokenAnswerGenuine({ siteKey: keyOf(1001), body: sent.body, ...late, at }))
  })
})

suite('a request is refused', () => {
  test('for each thing that is missing or wrong, with its code, and signed once the site is known', async () => {
    const SIGNED = true
    const cases: [string, Record<string, string | null>, string, boolean?][] = [
      ['no site', { SITE_ID: null }, '110 SITE_ID'],
      ['no unique id', { UNIQUE_ID: null }, '110 UNIQUE_ID'],
      ['no version', { REQUEST_API_VERSION: null }, '110 REQUEST_API_VERSION'],
      ['no number', { CARD_PAN: null }, '110 CARD_PAN'],
      ['no time', { 'X-TIMESTAMP': null }, '110 X-TIMESTAMP'],
      ['no signature', { 'X-SIGNATURE': null }, '110 X-SIGNATURE'],
      [
        'a format that is none',
        { REQUEST_RESPONSE_FORMAT: 'PIPES' },
        '113 REQUEST_RESPONSE_FORMAT',
      ],
      ['a site that is none', { SITE_ID: '9' }, '502'],
      ['no number for a site', { SITE_ID: 'x' }, '502'],
      ['a time long ago', { 'X-TIMESTAMP': '20200101000000' }, '406', SIGNED],
      ['another signature', { 'X-SIGNATURE': '0'.repeat(64) }, '121', SIGNED],
      ['a changed unique id', { UNIQUE_ID: 'other' }, '121', SIGNED],
      ['another version', { REQUEST_API_VERSION: '4.13' }, '113 REQUEST_API_VERSION', SIGNED],
      ['a number of letters', { CARD_PAN: '4111x' }, '112 CARD_PAN', SIGNED],
      ['twelve digits', { CARD_PAN: '411111111111' }, '111 CARD_PAN', SIGNED],
      ['twenty digits', { CARD_PAN: '4'.repeat(20) }, '111 CARD_PAN', SIGNED],
      ['a code of letters', { CARD_CVV: 'abc' }, '112 CARD_CVV', SIGNED],
      ['a code of five', { CARD_CVV: '12345' }, '111 CARD_CVV', SIGNED],
    ]
    for (const [name, changes, expected, signed = false] of cases) {
      const sent = await send(changes)
      assert.equal(`${sent.status} ${sent.said}`, `200 ${expected}`, name)
      assert.equal(signedBy(1001, sent), signed, name)
    }
  })

  test('when its signature is early or late by more than five minutes', async () => {
    for (const offset of [-310_000, 310_000]) {
      assert.equal((await send({}, { at: new Date(Date.now() + offset) })).said, '406')
    }
    assert.equal((await send({}, { at: new Date(Date.now() - 290_000) })).said, 'made')
  })

  test('when its unique id was used, even at once, but not by another site', async () => {
    const same = tokenRequest()
    const post = async () =>
      (
        await read(
          await fetch(address(), { method: 'POST', body: same.form, headers: same.headers }),
        )
      ).said
    const said = await Promise.all(Array.from({ length: 5 }, post))
    assert.deepEqual(said.toSorted(), ['406', '406', '406', '406', 'made'])
    assert.equal((await send({}, { siteId: 1003 })).said, 'made')
  })

  test('when a parameter comes twice', async () => {
    const { form, headers } = tokenRequest()
    form.append('CARD_PAN', '5555555555554444')
    const { said } = await read(await fetch(address(), { method: 'POST', body: form, headers }))
    assert.equal(said, '113 CARD_PAN')
  })

  test('when it is no form, too large, or no POST', async () => {
    const { headers } = tokenRequest()
    const json = { ...headers, 'content-type': 'application/json' }
    const wrong = await read(await fetch(address(), { method: 'POST', body: '{}', headers: json }))
    assert.equal(`${wrong.status} ${wrong.said}`, '415 113')
    const large = new URLSearchParams({ CARD_PAN: '4'.repeat(70_000) })
    const tooLarge = await read(await fetch(address(), { method: 'POST', body: large, headers }))
    assert.equal(`${tooLarge.status} ${tooLarge.said}`, '413 111')
    assert.equal((await fetch(address(), { method: 'PUT', body: '', headers })).status, 405)
  })
})

suite('GET', () => {
  const get = async (siteId: number) => {
    const { form, headers } = tokenRequest({}, { siteId })
    for (const [name, value] of Object.entries(headers)) form.set(name, value)
    return read(await fetch(`${address().href}?${form.toString()}`))
  }

  test('a GET of the token service is taken from wide sites, with time and signature in the query', async () => {
    const sent = await get(1003)
    assert.equal(sent.said, 'made')
    assert.ok(signedBy(1003, sent))
  })

  test('a GET of the token service is 405 on strict sites, and nothing of its query is logged', async () => {
    const refused = await get(1001)
    assert.equal(`${refused.status} ${refused.said}`, '405 113')
    assert.equal(refused.headers.get('allow'), 'POST, OPTIONS')
    assert.ok(!gateway.logged().includes(VISA))
  })

  test('a GET of the token service is 405 for a site that does not exist as well', async () => {
    const refused = await get(9)
    assert.equal(`${refused.status} ${refused.said}`, '405 113')
  })
})

suite('pages of a shop', () => {
  const origin = 'https://shop.example'

  test('pages of a shop may send requests from every origin, as the preflight answers', async () => {
    const response = await fetch(address(), {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
    assert.equal(response.status, 204)
    assert.equal(response.headers.get('access-control-allow-origin'), '*')
    assert.match(
      response.headers.get('access-control-allow-headers') ?? '',
      /content-type, x-timestamp, x-signature/,
    )
    assert.equal(response.headers.get('access-control-allow-credentials'), null)
  })

  test('pages of a shop may read the answers of a site that lists them, refusals too', async () => {
    const open = await send({}, { origin })
    assert.equal(open.headers.get('access-control-allow-origin'), '*')
    assert.equal(open.headers.get('access-control-expose-headers'), 'x-timestamp, x-signature')
    await gateway.pool.query(
      `update sites set token_origins = '{https://shop.example}' where id = 1002`,
    )
    const listed = await send({}, { origin, siteId: 1002 })
    assert.equal(listed.headers.get('access-control-allow-origin'), origin)
    assert.equal(listed.headers.get('vary'), 'origin')
    const other = await send({}, { origin: 'https://other.example', siteId: 1002 })
    assert.equal(other.headers.get('access-control-allow-origin'), null)
    const refused = await send({ 'X-SIGNATURE': 'x' }, { origin, siteId: 1002 })
    assert.equal(refused.headers.get('access-control-allow-origin'), origin)
  })
})

suite('the client', () => {
  test('the client library makes tokens, and throws what the service refuses', async () => {
    const made = await newToken(gateway.baseUrl)
    assert.match(made.token, /^[0-9A-F]{40}$/)
    await assert.rejects(
      newToken(gateway.baseUrl, { cardNumber: '12' }),
      (error) => error instanceof TokenRefusedError && error.code === '111',
    )
  })

  test('the client library does not believe an answer that is not signed with its key', async () => {
    const client = createTokenClient({
      baseUrl: gateway.baseUrl,
      siteId: 1001,
      siteKey: keyOf(1001),
      fetch: async (input, init) => {
        const real = await fetch(input, init)
        const body = (await real.text()).replace('"TOKEN_GUID":"', '"TOKEN_GUID":"F')
        return new Response(body, { headers: real.headers })
      },
    })
    await assert.rejects(
      client.createToken({ cardNumber: VISA }),
      /is not signed with the key of site 1001/,
    )
  })
})
