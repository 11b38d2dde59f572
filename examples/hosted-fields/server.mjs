import { createClient, isTokenAnswerGenuine, signTokenRequest } from '@tollgate/client'
// A small shop that never sees a card number. It needs the packages of this repository, built by
// npm start.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createCheckout } from './checkout.mjs'

/** Defaults to the published sandbox merchant; a real shop keeps its keys out of its source. */
const {
  PORT = '8090',
  GATEWAY = 'http://127.0.0.1:8080',
  SITE_ID = '1001',
  SITE_KEY = 'sandbox-site-key-1001',
  API_USER = 'demo@tollgate.test',
  API_PASSWORD = 'Sandbox-4.14-demo',
  // How long a payment is repeated while its outcome is in doubt.
  PATIENCE_MS = '120000',
} = process.env
const GATEWAY_ORIGIN = new URL(GATEWAY).origin
const BODY_LIMIT = 16 * 1024

const FILES = {
  '/shop.js': ['shop.js', 'text/javascript; charset=utf-8'],
  '/shop.css': ['shop.css', 'text/css; charset=utf-8'],
}

const client = createClient({
  baseUrl: GATEWAY,
  username: API_USER,
  password: API_PASSWORD,
  siteId: SITE_ID,
  timeoutMs: Number(PATIENCE_MS),
})
const checkout = createCheckout({ client })
const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    process.stderr.write(`${error.message}\n`)
    if (response.headersSent) return response.destroy()
    // Says nothing about the payment: the page asks for its result.
    sendJson(response, 500, { message: 'This did not work.' })
  })
})
server.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`The shop is open at http://localhost:${server.address().port}\n`)
})

async function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://shop')
  if (request.method === 'GET' && pathname in FILES) return sendFile(pathname, response)
  if (request.method === 'GET' && pathname === '/') {
    return redirect(response, `/checkout?order=${checkout.newBasket().key}`)
  }
  const route = ROUTES[`${request.method} ${pathname}`]
  const basket = checkout.find(searchParams.get('order'))
  // Baskets last until the shop is started again.
  if (route !== undefined && basket === undefined && request.method === 'GET')
    return redirect(response, '/')
  if (route === undefined || basket === undefined)
    return sendJson(response, 404, { message: 'There is no such order.', canPay: false })
  return route(basket, request, response)
}

const ROUTES = {
  async 'GET /checkout'(basket, request, response) {
    await checkout.lookAgain(basket)
    return sendPage(basket, response)
  },

  async 'POST /sign'(basket, request, response) {
    // A real shop limits the rate.
    return sendJson(response, 200, signTokenRequest({ siteKey: SITE_KEY, siteId: SITE_ID }))
  },

  async 'POST /pay'(basket, request, response) {
    const { expiry, token } = JSON.parse(await bodyOf(request))
    if (!/^(0[1-9]|1[0-2])\/20[0-9]{2}$/.test(expiry)) {
      const message = 'Enter the month and year that are on the card.'
      return sendJson(response, 422, { ...stateOf(basket), message })
    }
    const { timestamp, body, signature } = token
    if (!isTokenAnswerGenuine({ siteKey: SITE_KEY, timestamp, body, signature })) {
      const message = 'The card fields did not answer as they should.'
      return sendJson(response, 422, { ...stateOf(basket), message })
    }
    const cardToken = JSON.parse(body).TOKEN_GUID
    await checkout.pay(basket, { cardToken, expiry: expiry.replace('/', '') })
    return sendJson(response, 200, stateOf(basket))
  },

  async 'POST /result'(basket, request, response) {
    await checkout.lookAgain(basket)
    return sendJson(response, 200, stateOf(basket))
  },
}

function stateOf({ orderId, outcome, state }) {
  return { state, order: orderId, message: outcome ?? '', canPay: state === 'open' }
}

async function sendPage(basket, response) {
  const text = await readFile(new URL('shop.html', import.meta.url), 'utf8')
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    // Keeps the address, which contains the key of the basket, from other sites.
    'referrer-policy': 'same-origin',
    'content-security-policy':
      `default-src 'none'; script-src 'self' ${GATEWAY_ORIGIN}; frame-src ${GATEWAY_ORIGIN}; ` +
      `style-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  })
  response.end(
    text
      .replaceAll('{{gateway}}', GATEWAY_ORIGIN)
      .replaceAll('{{site}}', SITE_ID)
      .replaceAll('{{state}}', basket.state)
      .replaceAll('{{message}}', basket.outcome ?? ''),
  )
}

async function sendFile(path, response) {
  const [name, type] = FILES[path]
  response.writeHead(200, { 'content-type': type })
  response.end(await readFile(new URL(name, import.meta.url)))
}

async function bodyOf(request) {
  let text = ''
  for await (const part of request) {
    text += part
    if (text.length > BODY_LIMIT) throw new Error('An order was too long.')
  }
  return text
}

function sendJson(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify(body))
}

function redirect(response, location) {
  response.writeHead(303, { location, 'cache-control': 'no-store' })
  response.end()
}
