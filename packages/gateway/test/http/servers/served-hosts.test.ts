import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../../src/config/config.ts'
import { isFromForeignPage } from '../../../src/http/servers/foreign-pages.ts'
import { servedHosts } from '../../../src/http/servers/served-hosts.ts'
import { servedNames } from '../../../src/wiring/servers.ts'
import { aGateway } from '../fake-gateway.ts'

const NAMES = ['pay.example.com', 'Gateway']

for (const host of [
  'pay.example.com',
  'PAY.example.com:443',
  'pay.example.com.',
  'gateway:8080',
  'localhost',
  'localhost:8080',
  'shop.localhost:9000',
  '127.0.0.1:8080',
  '203.0.113.9',
  '[::1]:8080',
  '[2001:db8::1]',
]) {
  test(`the host ${host} is served`, () => assert.equal(servedHosts(NAMES)(host), true))
}

for (const host of [
  '',
  'evil.test',
  'evil.test:8080',
  'pay.example.com.evil.test',
  'evil.test/pay.example.com',
  'evil.test@localhost',
  'localhost.evil.test',
  'notlocalhost',
  '127.0.0.1.evil.test',
  'localhost:8080:evil.test',
  '[localhost]',
  '[::1]evil.test',
]) {
  test(`the host "${host}" is not served`, () => {
    assert.equal(servedHosts(NAMES)(host), false)
  })
}

test('a star in the list serves every host', () => {
  assert.equal(servedHosts(['*'])('evil.test'), true)
})

test('a sandbox serves the host of PUBLIC_URL and the names of SERVED_HOSTS; production serves all unless it lists some', () => {
  const namesWith = (settings: Readonly<Record<string, string>>): readonly string[] => {
    const loaded = loadConfig({ PUBLIC_URL: 'https://pay.example.com', ...settings })
    assert.ok(loaded.ok, JSON.stringify(loaded))
    return servedNames(loaded.config)
  }
  const production = {
    MODE: 'production',
    TRUST_PROXY: '10.0.0.1',
    VAULT_KEY: `${'A'.repeat(43)}=`,
  }
  const sandbox = servedHosts(namesWith({ SERVED_HOSTS: 'gateway, tollgate.internal' }))
  assert.deepEqual(
    ['pay.example.com', 'gateway:8080', 'tollgate.internal', 'evil.test'].map(sandbox),
    [true, true, true, false],
  )
  assert.equal(servedHosts(namesWith(production))('balancer.internal'), true)
  const strict = servedHosts(namesWith({ ...production, SERVED_HOSTS: 'gateway' }))
  assert.deepEqual(['pay.example.com', 'gateway', 'evil.test'].map(strict), [true, true, false])
})

test('SERVED_HOSTS with a port or a scheme is refused at the start', () => {
  for (const value of ['gateway:8080', 'https://gateway', 'a,*.b']) {
    const loaded = loadConfig({ SERVED_HOSTS: value })
    assert.ok(!loaded.ok && /SERVED_HOSTS/.test(loaded.problems.join()), value)
  }
})

const PUBLIC_URL = 'https://pay.example.com'
for (const [what, headers, isForeign] of [
  ['a program', {}, false],
  ['a page of PUBLIC_URL', { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' }, false],
  ['a page of the host that is asked', { origin: 'http://localhost:8080' }, false],
  ['an address that a user typed', { 'sec-fetch-site': 'none' }, false],
  ['a page of another port', { origin: 'http://localhost:3000' }, true],
  ['a page without an origin', { origin: 'null' }, true],
  ['a page of another site', { 'sec-fetch-site': 'cross-site' }, true],
  ['a page of the same site', { 'sec-fetch-site': 'same-site' }, true],
  ['two headers', { 'sec-fetch-site': 'cross-site, same-origin' }, true],
] as const) {
  test(`a request of ${what} comes ${isForeign ? 'from a foreign page' : 'from no foreign page'}`, () => {
    const request = { headers, host: 'localhost:8080' }
    assert.equal(isFromForeignPage(request, PUBLIC_URL), isForeign)
  })
}

test('a host that only a trusted proxy names is checked as well', async () => {
  const gateway = aGateway({}, { trustedProxies: ['127.0.0.1'] })
  const ask = (headers: Readonly<Record<string, string>>) =>
    gateway.app.inject({ url: '/pay/fields.js', headers })
  const statuses = await Promise.all([
    ask({ host: 'localhost', 'x-forwarded-host': 'localhost' }),
    ask({ host: 'localhost', 'x-forwarded-host': 'evil.test' }),
    ask({ host: 'evil.test', 'x-forwarded-host': 'localhost' }),
  ])
  assert.deepEqual(
    statuses.map(({ statusCode }) => statusCode),
    [200, 421, 421],
  )
})

test('health checks are answered for every host', async () => {
  const gateway = aGateway()
  for (const url of ['/health', '/health/ready', '/health/live']) {
    const { statusCode } = await gateway.app.inject({ url, headers: { host: 'evil.test' } })
    assert.notEqual(statusCode, 421, url)
  }
})
