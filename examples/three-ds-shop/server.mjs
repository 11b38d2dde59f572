import { CHALLENGE_WINDOWS, createClient } from '@tollgate/client'
// A small shop that pays with 3-D Secure. It needs the packages of this repository, built by npm
// start.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { readCard } from './card.mjs'
import { createCheckout } from './checkout.mjs'
import { createEventReceiver } from './events.mjs'
import { checkoutPage, messagePage, resultPage, returnPage } from './pages.mjs'

/** Defaults to the published sandbox merchant; a real shop keeps its password out of its source. */
const {
  PORT = '8091',
  SHOP_HOST = 'localhost',
  GATEWAY = 'http://127.0.0.1:8080',
  // The gateway's address for browsers, if it differs.
  GATEWAY_PAGES = GATEWAY,
  SITE_ID = '1001',
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
  '/shop.css': [new URL('shop.css', import.meta.url), 'text/css; charset=utf-8'],
  '/shop.js': [new URL('shop.js', import.meta.url), SCRIPT],
  '/card.mjs': [new URL('card.mjs', import.meta.url), SCRIPT],
  '/returned.js': [new URL('returned.js', import.meta.url), SCRIPT],
  '/three-ds.js': [new URL('../../packages/client/browser/three-ds.js', import.meta.url), SCRIPT],
}

const connection = {
  baseUrl: GATEWAY,
  username: API_USER,
  password: API_PASSWORD,
  siteId: SITE_ID,
}
const client = createClient({ ...connection, timeoutMs: Number(PATIENCE_MS) })
const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    process.stderr.write(`${error.message}\n`)
    if (response.headersSent) return response.destroy()
    sendPage(response, 502, messagePage('This did not work', 'Please try again in a moment.'))
  })
})
const shopUrl = () => `http://${SHOP_HOST}:${server.address().port}`
const checkout = createCheckout({ client, returnUrl: (key) => `${shopUrl()}/return?order=${key}` })
const webhookSecrets = WEBHOOK_SECRETS.split(' ').filter((secret) => secret !== '')
const events = createEventReceiver({
  connection,
  secrets: webhookSecrets,
  handle: checkout.hear,
})
server.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`The shop is open at ${shopUrl()}\n`)
  void events.follow()
})

async function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, shopUrl())
  if (request.method === 'GET' && pathname in FILES) return sendFile(pathname, response)
  if (request.method === 'GET' && pathname === '/') {
    return redirect(response, `/checkout?order=${checkout.newOrder().key}`)
  }
  if (request.method === 'POST' && pathname === '/events' && webhookSecrets.length > 0) {
    return events.receiveWebhook(request, response)
  }
  const route = ROUTES[`${request.method} ${pathname}`]
  const order = checkout.find(searchParams.get('order'))
  if (route === undefined || order === undefined) {
    const text = 'Nothing was paid because of it. Orders here last until the shop is started again.'
    return sendPage(response, 404, messagePage('There is no such order', text))
  }
  return route(order, request, response)
}

const ROUTES = {
  async 'GET /checkout'(order, request, response) {
    if (order.state === 'paid') return redirect(response, `/result?order=${order.key}`)
    order.acceptHeader = request.headers.accept ?? ''
    return sendPage(response, 200, checkoutPage(order))
  },

  async 'GET /result'(order, request, response) {
    await checkout.lookAgain(order)
    if (order.state === 'open' && order.outcome === null)
      return redirect(response, `/checkout?order=${order.key}`)
    return sendPage(response, 200, resultPage(order))
  },

  async 'GET /state'(order, request, response) {
    return sendJson(response, stateOf(order))
  },

  /** Steps 1 and 2: returns the data collection to the page. */
  async 'POST /begin'(order, request, response) {
    const { leadingDigits } = JSON.parse(await bodyOf(request))
    if (!/^\d{6,8}$/.test(leadingDigits)) throw new Error('A card number began with no digits.')
    // The payment tries again, and reports an error that remains.
    const collection = await checkout.begin(order, leadingDigits).catch(() => null)
    return sendJson(response, { collection })
  },

  /** Step 3. The page sends JSON, a form without scripts the card alone. */
  async 'POST /pay'(order, request, response) {
    const isForm = request.headers['content-type'] !== 'application/json'
    const body = await bodyOf(request)
    const {
      card: sent,
      browser,
      window,
    } = isForm
      ? {
          card: Object.fromEntries(new URLSearchParams(body)),
          browser: { javaScriptEnabled: false },
        }
      : JSON.parse(body)
    const card = readCard(sent)
    if (card.problem === undefined) {
      const size = window in CHALLENGE_WINDOWS ? window : '03'
      await checkout.pay(order, card, { ...browser, ...seenBy(order, request, browser) }, size)
    } else {
      order.outcome = { kind: 'declined', title: card.problem, text: 'Nothing was paid yet.' }
    }
    if (!isForm) return sendJson(response, stateOf(order))
    return redirect(
      response,
      `/${order.state === 'paid' ? 'result' : 'checkout'}?order=${order.key}`,
    )
  },

  /**
   * Step 5: the challenge has ended. The post comes from the gateway's page, without cookies.
   */
  async 'POST /return'(order, request, response) {
    const form = new URLSearchParams(await bodyOf(request))
    await checkout.finish(order, {
      transactionId: form.get('TransactionId') ?? '',
      response: form.get('Response') ?? '',
    })
    return sendPage(response, 200, returnPage(order), { framedBy: "'self'" })
  },

  async 'POST /give-up'(order, request, response) {
    await bodyOf(request)
    await checkout.giveUp(order)
    return redirect(response, `/result?order=${order.key}`)
  },
}

/** The browser data that the server reads. The page cannot read these headers. */
function seenBy(order, { headers, socket }, browser) {
  return {
    userAgent: headers['user-agent'] ?? '',
    acceptHeader: order.acceptHeader,
    language: browser.language ?? headers['accept-language']?.split(/[,;]/)[0] ?? '',
    ipAddress: socket.remoteAddress?.replace(/^::ffff:/, ''),
  }
}

function stateOf({ state, challenge }) {
  return { state, challenge }
}

async function bodyOf(request) {
  let text = ''
  for await (const part of request) {
    text += part
    if (text.length > BODY_LIMIT) throw new Error('A request was too long.')
  }
  return text
}

async function sendFile(path, response) {
  const [file, type] = FILES[path]
  response.writeHead(200, { 'content-type': type, 'x-content-type-options': 'nosniff' })
  response.end(await readFile(file))
}

function sendPage(response, status, text, { framedBy = "'none'" } = {}) {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // Keeps the address, which contains the key of the order, from other sites.
    'referrer-policy': 'same-origin',
    'content-security-policy':
      `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; ` +
      `frame-src 'self' ${GATEWAY_ORIGIN}; form-action 'self' ${GATEWAY_ORIGIN}; ` +
      `base-uri 'none'; frame-ancestors ${framedBy}`,
  })
  response.end(text)
}

function sendJson(response, body) {
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify(body))
}

function redirect(response, location) {
  response.writeHead(303, { location, 'cache-control': 'no-store' })
  response.end()
}
