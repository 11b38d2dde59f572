import {
  CHALLENGE_WINDOWS,
  createClient,
  isTokenAnswerGenuine,
  signTokenRequest,
} from '@tollgate/client'
// A small shop with 3-D Secure and saved cards that never sees a card number. It needs the packages
// of this repository, built by npm start.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createCheckout } from './checkout.mjs'
import { createEventReceiver } from './events.mjs'

/** Defaults to the published sandbox merchant; a real shop keeps its keys out of its source. */
const {
  PORT = '8090',
  SHOP_HOST = 'localhost',
  GATEWAY = 'http://127.0.0.1:8080',
  // The gateway's address for browsers, if it differs.
  GATEWAY_PAGES = GATEWAY,
  SITE_ID = '1001',
  SITE_KEY = 'sandbox-site-key-1001',
  API_USER = 'demo@tollgate.test',
  API_PASSWORD = 'Sandbox-4.14-demo',
  // How long a payment is repeated while its outcome is in doubt.
  PATIENCE_MS = '120000',
  // Secrets of a webhook endpoint that sends to /events, with blanks between.
  WEBHOOK_SECRETS = '',
} = process.env
const GATEWAY_ORIGIN = new URL(GATEWAY_PAGES).origin
const BODY_LIMIT = 16 * 1024

const SCRIPT = 'text/javascript; charset=utf-8'
const FILES = {
  '/shop.js': ['shop.js', SCRIPT],
  '/shop.css': ['shop.css', 'text/css; charset=utf-8'],
  '/returned.js': ['returned.js', SCRIPT],
  '/three-ds.js': ['../../packages/client/browser/three-ds.js', SCRIPT],
}

const connection = {
  baseUrl: GATEWAY,
  username: API_USER,
  password: API_PASSWORD,
  siteId: SITE_ID,
}
const client = createClient({ ...connection, timeoutMs: Number(PATIENCE_MS) })
const shopUrl = () => `http://${SHOP_HOST}:${server.address().port}`
const returnUrl = (key) => `${shopUrl()}/return?order=${key}`
const checkout = createCheckout({ client, returnUrl })
const webhookSecrets = WEBHOOK_SECRETS.split(' ').filter((secret) => secret !== '')
const events = createEventReceiver({
  connection,
  secrets: webhookSecrets,
  handle: checkout.hear,
})
const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    process.stderr.write(`${error.message}\n`)
    if (response.headersSent) return response.destroy()
    // Says nothing about the payment: the page asks for its result.
    sendJson(response, 500, { message: 'This did not work.' })
  })
})
server.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`The shop is open at ${shopUrl()}\n`)
  void events.follow()
})

async function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://shop')
  if (request.method === 'GET' && pathname in FILES) return sendFile(pathname, response)
  if (request.method === 'GET' && pathname === '/') {
    return redirect(response, `/checkout?order=${checkout.newBasket(null).key}`)
  }
  if (request.method === 'POST' && pathname === '/events' && webhookSecrets.length > 0) {
    return events.receiveWebhook(request, response)
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
    basket.acceptHeader = request.headers.accept ?? ''
    return sendPage(basket, response)
  },

  /** A basket of the same customer, for the card that paid this one. */
  async 'GET /another'(basket, request, response) {
    const { key } = checkout.newBasket(basket.paidWith)
    return redirect(response, `/checkout?order=${key}`)
  },

  async 'POST /sign'(basket, request, response) {
    // A real shop limits the rate.
    return sendJson(response, 200, signTokenRequest({ siteKey: SITE_KEY, siteId: SITE_ID }))
  },

  /** Steps 1 and 2: returns the data collection to the page. */
  async 'POST /begin'(basket, request, response) {
    const { card } = readCard(basket, JSON.parse(await bodyOf(request)))
    const begins = card !== undefined && basket.state === 'open'
    // The payment tries again, and reports an error that remains.
    const collection = begins ? await checkout.begin(basket, card).catch(() => null) : null
    return sendJson(response, 200, { collection })
  },

  /** Step 3. */
  async 'POST /pay'(basket, request, response) {
    const sent = JSON.parse(await bodyOf(request))
    const { card, problem } = readCard(basket, sent)
    if (problem !== undefined) {
      return sendJson(response, 422, { ...stateOf(basket), message: problem })
    }
    const { browser = {}, window } = sent
    const size = window in CHALLENGE_WINDOWS ? window : '03'
    await checkout.pay(basket, card, { ...browser, ...seenBy(basket, request, browser) }, size)
    return sendJson(response, 200, stateOf(basket))
  },

  /** Step 5: the challenge has ended. The gateway's page posts this, without cookies. */
  async 'POST /return'(basket, request, response) {
    const form = new URLSearchParams(await bodyOf(request))
    await checkout.finish(basket, {
      transactionId: form.get('TransactionId') ?? '',
      response: form.get('Response') ?? '',
    })
    return sendHtml(response, await pageOf('returned.html'), "'self'")
  },

  async 'POST /give-up'(basket, request, response) {
    await checkout.giveUp(basket)
    return sendJson(response, 200, stateOf(basket))
  },

  async 'POST /result'(basket, request, response) {
    await checkout.lookAgain(basket)
    return sendJson(response, 200, stateOf(basket))
  },
}

/** The saved card of the basket, or the token that the card fields gave to the page. */
function readCard({ saved }, { expiry, token }) {
  if (saved !== null) {
    const { customerId, paymentMethodId } = saved
    return { card: { customerId, paymentMethodId } }
  }
  if (!/^(0[1-9]|1[0-2])\/20[0-9]{2}$/.test(expiry)) {
    return { problem: 'Enter the month and year that are on the card.' }
  }
  const { timestamp, body, signature } = token
  if (!isTokenAnswerGenuine({ siteKey: SITE_KEY, timestamp, body, signature })) {
    return { problem: 'The card fields did not answer as they should.' }
  }
  return { card: { cardToken: JSON.parse(body).TOKEN_GUID, expiry: expiry.replace('/', '') } }
}

/** The browser data that the server reads. The page cannot read these headers. */
function seenBy(basket, { headers, socket }, browser) {
  return {
    userAgent: headers['user-agent'] ?? '',
    acceptHeader: basket.acceptHeader,
    language: browser.language ?? headers['accept-language']?.split(/[,;]/)[0] ?? '',
    ipAddress: socket.remoteAddress?.replace(/^::ffff:/, ''),
  }
}

function stateOf({ challenge, orderId, outcome, paidWith, state }) {
  return {
    state,
    order: orderId,
    message: outcome ?? '',
    canPay: state === 'open',
    challenge: state === 'challenge' ? challenge : null,
    canBuyAgain: paidWith !== null,
  }
}

async function sendPage(basket, response) {
  const values = {
    gateway: GATEWAY_ORIGIN,
    site: SITE_ID,
    state: basket.state,
    message: basket.outcome ?? '',
    saved: basket.saved?.words ?? '',
    again: basket.paidWith === null ? 'hidden' : '',
    key: basket.key,
  }
  const text = await pageOf('shop.html')
  const page = text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => html(values[name]))
  return sendHtml(response, page, "'none'")
}

function pageOf(name) {
  return readFile(new URL(name, import.meta.url), 'utf8')
}

/** @param framedBy which pages may show this one in a frame */
function sendHtml(response, text, framedBy) {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    // Keeps the address, which contains the key of the basket, from other sites.
    'referrer-policy': 'same-origin',
    'content-security-policy':
      `default-src 'none'; script-src 'self' ${GATEWAY_ORIGIN}; style-src 'self'; ` +
      `frame-src 'self' ${GATEWAY_ORIGIN}; form-action ${GATEWAY_ORIGIN}; connect-src 'self'; ` +
      `base-uri 'none'; frame-ancestors ${framedBy}`,
  })
  response.end(text)
}

function html(text) {
  return String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
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
