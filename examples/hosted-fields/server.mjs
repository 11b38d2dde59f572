// A small shop that never sees a card number. It has no dependencies: node server.mjs
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { isAnswerOfGateway, signTokenRequest } from './signatures.mjs'

/** The published sandbox merchant; a real shop keeps its keys out of its source. */
export const SANDBOX = {
  gateway: 'http://127.0.0.1:8080',
  siteId: '1001',
  siteKey: 'sandbox-site-key-1001',
  username: 'demo@tollgate.test',
  password: 'Sandbox-4.14-demo',
}
/** Prices come from the shop, never from its page. */
const PRICE = { amount: '24.00', currency: 'EUR' }
const BODY_LIMIT = 16 * 1024

const FILES = {
  '/': ['shop.html', 'text/html; charset=utf-8'],
  '/shop.js': ['shop.js', 'text/javascript; charset=utf-8'],
  '/shop.css': ['shop.css', 'text/css; charset=utf-8'],
}

/** Starts the shop and resolves with its server. Port 0 takes any free port. */
export function startShop({ port = 8090, ...settings } = {}) {
  const shop = { ...SANDBOX, ...settings }
  const server = createServer((request, response) => {
    answer(shop, request, response).catch((error) => {
      process.stderr.write(`${error.message}\n`)
      sendJson(response, 502, { message: 'The payment could not be made. Please try again.' })
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

async function answer(shop, request, response) {
  const { method, url } = request
  if (method === 'GET' && url in FILES) return sendFile(shop, url, response)
  if (method === 'POST' && url === '/sign') {
    // A real shop signs for visitors with something in their basket, and not too often.
    return sendJson(response, 200, signTokenRequest(shop))
  }
  if (method === 'POST' && url === '/pay') return pay(shop, await readJson(request), response)
  return sendJson(response, 404, { message: 'There is nothing at this address.' })
}

async function pay(shop, order, response) {
  const { expiry, token: answerOfGateway } = order
  if (!/^(0[1-9]|1[0-2])\/20[0-9]{2}$/.test(expiry)) {
    return sendJson(response, 422, { message: 'Enter the month and year that are on the card.' })
  }
  if (!isAnswerOfGateway({ siteKey: shop.siteKey, ...answerOfGateway })) {
    return sendJson(response, 422, { message: 'The card fields did not answer as they should.' })
  }
  const { TOKEN_GUID } = JSON.parse(answerOfGateway.body)
  const paid = await askGateway(shop, {
    REQUEST_ACTION: 'CCAUTHCAP',
    TOKEN_GUID,
    PMT_EXPIRY: expiry.replace('/', ''),
    LI_VALUE_1: PRICE.amount,
    REQUEST_CURRENCY: PRICE.currency,
  })
  const isPaid = paid.TRANS_STATUS_NAME === 'APPROVED'
  return sendJson(response, 200, {
    isPaid,
    order: paid.PO_ID,
    message: isPaid ? 'Thank you. Your order is on its way.' : 'The card was declined.',
  })
}

async function askGateway(shop, parameters) {
  const form = new URLSearchParams({
    REQ_USERNAME: shop.username,
    REQ_PASSWORD: shop.password,
    SITE_ID: shop.siteId,
    REQUEST_API_VERSION: '4.14',
    REQUEST_RESPONSE_FORMAT: 'JSON',
    ...parameters,
  })
  const address = new URL('/payment/pmt_service.cfm', shop.gateway)
  return (await fetch(address, { method: 'POST', body: form })).json()
}

async function sendFile(shop, url, response) {
  const [name, type] = FILES[url]
  const text = await readFile(new URL(name, import.meta.url), 'utf8')
  const { origin } = new URL(shop.gateway)
  response.writeHead(200, {
    'content-type': type,
    'content-security-policy':
      `default-src 'none'; script-src 'self' ${origin}; style-src 'self'; connect-src 'self'; ` +
      `frame-src ${origin}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  })
  response.end(text.replaceAll('{{gateway}}', origin).replaceAll('{{site}}', shop.siteId))
}

async function readJson(request) {
  let text = ''
  for await (const part of request) {
    text += part
    if (text.length > BODY_LIMIT) throw new Error('An order was too long.')
  }
  return JSON.parse(text)
}

function sendJson(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify(body))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { GATEWAY: gateway = SANDBOX.gateway, PORT: port = '8090' } = process.env
  const { SITE_ID: siteId = SANDBOX.siteId, SITE_KEY: siteKey = SANDBOX.siteKey } = process.env
  const { API_USER: username = SANDBOX.username, API_PASSWORD: password = SANDBOX.password } =
    process.env
  await startShop({ port: Number(port), gateway, siteId, siteKey, username, password })
  process.stdout.write(`The shop is open at http://127.0.0.1:${port}\n`)
}
