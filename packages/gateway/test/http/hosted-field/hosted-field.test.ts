import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aGateway, PAN } from '../fake-gateway.ts'
import { siteOf } from './site-of.ts'

const PAGE = '/pay/field.html?site=1001'

function directives(policy: unknown): Map<string, string> {
  return new Map(
    String(policy)
      .split('; ')
      .map((directive) => {
        const [name = '', ...values] = directive.split(' ')
        return [name, values.join(' ')]
      }),
  )
}

test('the page runs its own scripts only, speaks to its own origin only, and is held by its site and the gateway only', async () => {
  const { app } = siteOf(['https://shop.example'])
  const { statusCode, headers } = await app.inject({ url: PAGE })
  assert.equal(statusCode, 200)
  assert.deepEqual(Object.fromEntries(directives(headers['content-security-policy'])), {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'connect-src': "'self'",
    'frame-ancestors': "'self' https://shop.example",
    'form-action': "'none'",
    'base-uri': "'none'",
    'require-trusted-types-for': "'script'",
    'trusted-types': "'none'",
    'report-uri': '/pay/violations',
  })
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.match(String(headers['permissions-policy']), /\bcamera=\(\).*\bpayment=\(\)/)
  assert.equal(headers['x-frame-options'], undefined)
})

test('several origins may embed the page of their site, and any origin the page of a demo site', async () => {
  const two = siteOf(['https://a.example', 'https://b.example'])
  const any = siteOf(['https://a.example', '*'])
  const ancestors = async ({ app }: typeof two): Promise<string | undefined> => {
    const { headers } = await app.inject({ url: PAGE })
    return directives(headers['content-security-policy']).get('frame-ancestors')
  }
  assert.equal(await ancestors(two), "'self' https://a.example https://b.example")
  assert.equal(await ancestors(any), '*')
})

for (const [what, url] of [
  ['an unknown site', '/pay/field.html?site=5'],
  ['no site', '/pay/field.html'],
  ['a site that is no number', '/pay/field.html?site=<script>'],
  ['a site that is far too long', `/pay/field.html?site=${'9'.repeat(30)}`],
  ['two sites', '/pay/field.html?site=1001&site=1002'],
] as const) {
  test(`${what} gets a plain page that accepts no card`, async () => {
    const { app } = siteOf(['https://shop.example'])
    const { statusCode, body, headers } = await app.inject({ url })
    assert.equal(statusCode, 404)
    assert.match(body, /No card can be entered here; please tell the shop/)
    assert.doesNotMatch(body, /<script|<input|<form/)
    assert.equal(directives(headers['content-security-policy']).get('default-src'), "'none'")
    assert.equal(directives(headers['content-security-policy']).has('script-src'), false)
  })
}

test('a site without origins gets a plain page that accepts no card', async () => {
  const { app } = siteOf([])
  const { statusCode, body } = await app.inject({ url: PAGE })
  assert.equal(statusCode, 404)
  assert.match(body, /does not say which pages/)
  assert.doesNotMatch(body, /<script|<input/)
})

test("a site without origins shows its fields on the gateway's own pages alone", async () => {
  const { app } = siteOf([])
  const { statusCode, headers } = await app.inject({
    url: PAGE,
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  assert.equal(statusCode, 200)
  assert.equal(directives(headers['content-security-policy']).get('frame-ancestors'), "'self'")
})

test('an invalid origin never reaches the policy', async () => {
  const origins = ["https://a.example; script-src 'unsafe-inline'", 'https://b.example']
  const { app } = siteOf(origins)
  const { headers, body } = await app.inject({ url: PAGE })
  const policy = directives(headers['content-security-policy'])
  assert.equal(policy.get('frame-ancestors'), "'self' https://b.example")
  assert.equal(policy.get('script-src'), "'self'")
  assert.doesNotMatch(body, /unsafe-inline/)
})

test('a gateway that stops, and one without its database, accept no card and name the time to retry', async () => {
  const stopping = aGateway({ isReady: () => false })
  const away = aGateway({
    findTokenSite: () => Promise.reject(new Error('away')),
    isUnavailable: () => true,
  })
  for (const { app } of [stopping, away]) {
    const { statusCode, headers, body } = await app.inject({ url: PAGE })
    assert.equal(statusCode, 503)
    assert.equal(headers['retry-after'], '1')
    assert.doesNotMatch(body, /<script|<input/)
  }
})

test('an error shows nothing of itself, and a card in the address is not logged', async () => {
  const gateway = aGateway({ findTokenSite: () => Promise.reject(new Error(`broken ${PAN}`)) })
  const { statusCode, body } = await gateway.app.inject({ url: `${PAGE}&number=${PAN}` })
  assert.equal(statusCode, 500)
  assert.match(gateway.programLog(), /failed with an internal error/)
  assert.doesNotMatch(body + gateway.programLog(), /411111/)
})

test('a report of a broken policy is counted by its directive, and nothing of it is kept', async () => {
  const counted: string[] = []
  const gateway = aGateway({ countPageViolation: (directive) => counted.push(directive) })
  const report = async (payload: string, type = 'application/csp-report'): Promise<number> => {
    const headers = { 'content-type': type }
    const url = '/pay/violations'
    return (await gateway.app.inject({ method: 'POST', url, headers, payload })).statusCode
  }
  const sample = { 'script-sample': PAN, 'blocked-uri': 'inline' }
  const broken = { ...sample, 'effective-directive': 'script-src-elem' }
  assert.equal(await report(JSON.stringify({ 'csp-report': broken })), 204)
  const older = { ...sample, 'violated-directive': "script-src 'self'" }
  assert.equal(await report(JSON.stringify({ 'csp-report': older })), 204)
  assert.equal(await report(`{"csp-report":{"effective-directive":"${PAN}"}}`), 204)
  assert.equal(await report('nothing of the kind'), 204)
  assert.equal(await report('{}', 'application/json'), 415)
  assert.equal(await report('x'.repeat(20_000)), 413)
  assert.deepEqual(counted, ['script-src-elem', 'script-src', 'other', 'other'])
  assert.doesNotMatch(gateway.programLog(), /411111/)
})
