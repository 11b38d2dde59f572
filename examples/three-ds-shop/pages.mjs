import { PRICE } from './checkout.mjs'

/** The card form, the progress page or the challenge, by the state of the order. */
export function checkoutPage(order) {
  const { key, state, challenge } = order
  const known = { key, state, challenge: challenge && { ...challenge } }
  return page(
    'Checkout',
    `
      <h1>Checkout</h1>
      ${basket(order)}
      ${order.outcome === null ? '' : `<div class="notice" role="alert">${told(order.outcome)}</div>`}
      <form id="checkout" method="post" action="/pay?order=${key}" novalidate ${state === 'open' ? '' : 'hidden'}>
        ${field('number', 'Card number', 'inputmode="numeric" autocomplete="cc-number" maxlength="23"')}
        <div class="pair">
          ${field('expiry', 'Good until', 'inputmode="numeric" autocomplete="cc-exp" placeholder="MM/YYYY" maxlength="7"')}
          ${field('code', 'Security code', 'inputmode="numeric" autocomplete="cc-csc" maxlength="4"')}
        </div>
        <button id="pay" type="submit">Pay ${PRICE.amount} ${PRICE.currency}</button>
        <p class="hint">A shop to try things: pay with test cards only.</p>
      </form>
      <div role="status">
        <div id="processing" class="processing" ${state === 'asking' ? '' : 'hidden'}>
          <span class="spinner" aria-hidden="true"></span>
          <p>Asking your bank. Please keep this page open.</p>
        </div>
      </div>
      ${challenge === null ? '' : noScriptChallenge(key, challenge)}
      <script type="application/json" id="known">${json(known)}</script>
      <script type="module" src="/shop.js"></script>`,
  )
}

/** The outcome of the order. */
export function resultPage(order) {
  const next = {
    open: 'Pay with another card',
    paid: null,
    unknown: 'Look again',
    asking: 'Look again',
    challenge: 'Back to your bank',
  }[order.state]
  const address = `${order.state === 'unknown' ? '/result' : '/checkout'}?order=${order.key}`
  const outcome = order.outcome ?? { title: 'Your payment is on its way.', text: 'Please wait.' }
  return page(
    outcome.title,
    `
      <div id="outcome" data-kind="${html(outcome.kind ?? 'waiting')}">${told(outcome, 'h1')}</div>
      ${basket(order)}
      ${next === null ? '' : `<a class="button" href="${address}">${next}</a>`}`,
  )
}

/** Runs in the frame after the challenge, and notifies the page around it. */
export function returnPage(order) {
  return page(
    'Back at the shop',
    `
      <h1>Thank you</h1>
      <p>Your bank has answered.</p>
      <a class="button" target="_top" href="/result?order=${order.key}">See what happened</a>
      <script type="module" src="/returned.js"></script>`,
  )
}

export function messagePage(title, text) {
  return page(
    title,
    `
      <h1>${html(title)}</h1>
      <p>${html(text)}</p>
      <a class="button" target="_top" href="/">To the shop</a>`,
  )
}

/** For browsers without scripts: the same two steps, by hand. */
function noScriptChallenge(key, { url, jwt }) {
  return `<noscript>
        <p>Your bank wants to make sure that it is you.</p>
        <form method="post" action="${html(url)}" target="bank">
          <input type="hidden" name="JWT" value="${html(jwt)}" />
          <button type="submit">Go to your bank</button>
        </form>
        <iframe name="bank" title="Page of your bank"></iframe>
        <form method="post" action="/give-up?order=${key}"><button class="quiet" type="submit">Cancel</button></form>
      </noscript>`
}

function field(name, label, attributes) {
  return `<div class="field">
          <label for="${name}">${label}</label>
          <input id="${name}" name="${name}" ${attributes} aria-describedby="${name}-error" required />
          <p class="error" id="${name}-error"></p>
        </div>`
}

function basket({ number }) {
  return `<p class="order"><span>One enamel teapot</span> <strong>${PRICE.amount} ${PRICE.currency}</strong>
      <span>Order <span id="order">${html(number)}</span></span></p>`
}

function told({ title, text, fromBank }, heading = 'h2') {
  const bank = fromBank ? `<p class="bank">Your bank says: ${html(fromBank)}</p>` : ''
  return `<${heading}>${html(title)}</${heading}><p>${html(text)}</p>${bank}`
}

function page(title, content) {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${html(title)}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/shop.css" />
  </head>
  <body>
    <main>${content}
    </main>
  </body>
</html>
`
}

function html(text) {
  return String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

function json(value) {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
