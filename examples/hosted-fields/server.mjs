// A small shop that never sees a card number. It has no dependencies: node server.mjs
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { isAnswerOfGateway, signTokenRequest } from './signatures.mjs'

/** Defaults to the published sandbox merchant; a real shop keeps its keys out of its source. */
const {
  PORT = '8090',
  GATEWAY = 'http://127.0.0.1:8080',
  SITE_ID = '1001',
  SITE_KEY = 'sandbox-site-key-1001',
  API_USER = 'demo@tollgate.test',
  API_PASSWORD = 'Sandbox-4.14-demo',
} = process.env
const GATEWAY_ORIGIN = new URL(GATEWAY).origin

/** Prices come from the shop, never from its page. */
const PRICE = { amount: '24.00', currency: 'EUR' }
const BODY_LIMIT = 16 * 1024

const FILES = {
  '/': ['shop.html', 'text/html; charset=utf-8'],
  '/shop.js': ['shop.js', 'text/javascript; charset=utf-8'],
  '/shop.css': ['shop.css', 'text/css; charset=utf-8'],
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    process.stderr.write(`${error.message}\n`)
    sendJson(response, 502, { message: 'The payment could not be made. Please try again.' })
  })
})
server.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`The shop is open at http://localhost:${server.address().port}\n`)
})

async function answer(request, response) {
  const { method, url } = request
  if (method === 'GET' && url in FILES) return sendFile(url, response)
  if (method === 'POST' && url === '/sign') {
    // A real shop signs only for visitors with a basket, and limits the rate.
    return sendJson(response, 200, signTokenRequest({ siteKey: SITE_KEY, siteId: SITE_ID }))
  }
  if (method === 'POST' && url === '/pay') return pay(await readJson(request), response)
  return sendJson(response, 404, { message: 'There is nothing at this address.' })
}

async function pay({ expiry, token }, response) {
  const { timestamp, requestId, body, signature } = token
  if (!/^(0[1-9]|1[0-2])\/20[0-9]{2}$/.test(expiry)) {
    return sendJson(response, 422, { message: 'Enter the month and year that are on the card.' })
  }
  if (!isAnswerOfGateway({ siteKey: SITE_KEY, timestamp, requestId, body, signature })) {
    return sendJson(response, 422, { message: 'The card fields did not answer as they should.' })
  }
  const { TOKEN_GUID } = JSON.parse(body)
  const paid = await askGateway({
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

async function askGateway(parameters) {
  const form = new URLSearchParams({
    REQ_USERNAME: API_USER,
    REQ_PASSWORD: API_PASSWORD,
    SITE_ID,
    REQUEST_API_VERSION: '4.14',
    REQUEST_RESPONSE_FORMAT: 'JSON',
    ...parameters,
  })
  const address = new URL('/payment/pmt_service.cfm', GATEWAY)
  return (await fetch(address, { method: 'POST', body: form })).json()
}

async function sendFile(url, response) {
  const [name, type] = FILES[url]
  const text = await readFile(new URL(name, import.meta.url), 'utf8')
  response.writeHead(200, {
    'content-type': type,
    'content-security-policy':
      `default-src 'none'; script-src 'self' ${GATEWAY_ORIGIN}; frame-src ${GATEWAY_ORIGIN}; ` +
      `style-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  })
  response.end(text.replaceAll('{{gateway}}', GATEWAY_ORIGIN).replaceAll('{{site}}', SITE_ID))
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
