import { fastify } from 'fastify'
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { welcomeService, type WelcomeDeps } from '../../../src/http/welcome/welcome-service.ts'

const ROOT = join(import.meta.dirname, '../../../../..')

const SANDBOX = {
  publicUrl: 'https://pay.example',
  portalUrl: 'https://portal.example',
  firstPayment: "curl 'http://127.0.0.1:8080/pay' -d a=<1>&b",
  portal: ['owner@shop.example', 'portal-password'],
  api: ['shop', 'api-password'],
} as const

async function get(path: string, sandbox: WelcomeDeps['sandbox']) {
  const app = fastify()
  welcomeService(app, { sandbox })
  return app.inject({ method: 'GET', url: path })
}

/** The text between two tags, with its entities read. */
function textOf(html: string, tag: string): string {
  const text = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(html)?.[1] ?? ''
  return text.replace(/&#(\d+);/g, (_entity, code: string) => String.fromCharCode(Number(code)))
}

test('the first page of a sandbox shows the published credentials and a payment to copy', async () => {
  const { body, statusCode } = await get('/', SANDBOX)

  assert.equal(statusCode, 200)
  assert.equal(textOf(body, 'pre'), SANDBOX.firstPayment)
  for (const value of [...SANDBOX.portal, ...SANDBOX.api]) {
    assert.ok(body.includes(`<td>${value}</td>`), value)
  }
  const linked = ['/portal', '/portal/developer/requests', '/portal/developer/test-values']
  for (const path of linked) assert.ok(body.includes(`href="https://portal.example${path}"`), path)
  assert.ok(body.includes('href="https://pay.example/health"'))
  assert.match(body, /A card payment gateway with a test bank\. It moves no money/)
  for (const path of body.match(/docs\/[\w./]+\.md/g) ?? []) assert.ok(existsSync(join(ROOT, path)))
})

test('the first page in production shows the name of the product and nothing more', async () => {
  const { body } = await get('/', null)

  const main = textOf(body, 'main')
  assert.equal(main, '<h1><img src="/favicon.svg" alt=""> Tollgate</h1>')
})

test('the policy of the first page lets its style pass, and no script', async () => {
  const { body, headers } = await get('/', SANDBOX)

  const digest = createHash('sha256').update(textOf(body, 'style')).digest('base64')
  const policy = String(headers['content-security-policy'])
  assert.ok(policy.includes(`style-src 'sha256-${digest}'`), policy)
  assert.doesNotMatch(policy, /script-src|unsafe/)
  assert.doesNotMatch(body, /<script/)
})

test('an address that holds HTML is shown as text', async () => {
  const { body } = await get('/', { ...SANDBOX, publicUrl: 'https://x.example/"><b>' })

  assert.doesNotMatch(body, /<b>/)
})

for (const path of ['/favicon.svg', '/favicon.ico']) {
  test(`${path} is the icon of the product`, async () => {
    const { body, headers, statusCode } = await get(path, null)

    assert.deepEqual([statusCode, headers['content-type']], [200, 'image/svg+xml'])
    assert.match(body, /^<svg /)
  })
}
