'use strict'

/**
 * The conversation with the shop's page. What leaves this page goes to two places only: the digits
 * to the token service of its own origin, and what holds no digits to the page around it.
 */

/** @typedef {(message: object) => void} Tell */
/** @typedef {{ id: string, timestamp: string, uniqueId: string, signature: string }} TokenizeParts */

const fieldPage = partCalled('page')
/** @type {readonly string[]} Where the site's pages come from; `*` on a site that lets all embed it. */
const siteOrigins = JSON.parse(fieldPage.dataset['origins'] ?? '[]')

/** @type {Tell | null} Speaks to the one page that has set this one up. */
let tellShop = null
let isAsking = false

const card = createCardForm({
  changed: (state) => tellShop?.({ type: 'tollgate.change', ...state }),
  acted: (what, field) => tellShop?.({ type: `tollgate.${what}`, field }),
})

/** @param {string} origin */
function mayEmbed(origin) {
  // The gateway's own pages take cards by hand, whatever the site lists.
  if (origin === location.origin) return true
  // A page without an origin of its own can't be answered without everybody hearing it.
  return origin !== 'null' && (siteOrigins.includes('*') || siteOrigins.includes(origin))
}

/** @type {(parts: Record<string, any>, tell: Tell) => void} */
function setUp(parts, tell) {
  const { expiry = false, code = true, texts = {}, style = {} } = parts
  const { language = 'en', direction = 'ltr' } = parts
  const root = document.documentElement
  root.lang = language
  root.dir = direction
  applyStyle(root, style)
  card.setUp({ expiry, code, texts })
  partCalled('card').hidden = false
  if (tellShop === null) new ResizeObserver(tellHeight).observe(fieldPage)
  tellShop = tell
  tell({ type: 'tollgate.ready' })
  tellHeight()
  card.tellState()
}

function tellHeight() {
  const { height } = fieldPage.getBoundingClientRect()
  tellShop?.({ type: 'tollgate.resize', height: Math.ceil(height) })
}

const PROBLEM_CODES = { empty: 'empty', short: 'incomplete', wrong: 'invalid', valid: '' }

/** @type {(request: TokenizeParts, tell: Tell) => Promise<void>} */
async function tokenize({ id, ...signed }, tell) {
  /** @type {(code: string, message: string, field?: string | null, more?: object) => void} */
  const refuse = (code, message, field = null, more = {}) =>
    tell({ type: 'tollgate.error', id, code, message, field, ...more })
  if (isAsking) return refuse('busy', 'The card before this one is still under way.')
  const problem = card.review()
  if (problem !== null) {
    const { field, judgement, message } = problem
    return refuse(`${field}_${PROBLEM_CODES[judgement]}`, message, field)
  }
  isAsking = true
  card.lock(true)
  card.showStatus('')
  const { number, expiry, code } = card.read()
  const brand = card.brand()
  const site = fieldPage.dataset['site'] ?? ''
  const { kind, ...answer } = await askForToken({ site, number, code, ...signed })
  isAsking = false
  card.lock(false)
  const texts = card.texts()
  if (kind !== 'token') {
    const message = kind === 'refused' ? texts.refused : texts.unreachable
    card.showStatus(message)
    return refuse(kind, message, null, answer)
  }
  card.clear()
  const last4 = number.slice(-4)
  card.showStatus(texts.done.replace('{brand}', brand ?? texts.title).replace('{last4}', last4))
  const date = expiry === '' ? {} : { expiry }
  tell({ type: 'tollgate.token', id, ...answer, last4, ...date })
}

/** @param {MessageEvent} event */
function hear({ source, origin, data }) {
  if (source !== window.parent || window.parent === window || !mayEmbed(origin)) return
  const message = readShopMessage(data)
  if (message === null) return
  /** @type {Tell} */
  const tell = (answer) => window.parent.postMessage(answer, origin)
  const { type, parts, problem } = message
  const isEarly = tellShop === null && type !== 'tollgate.setup'
  if (problem !== null || isEarly) {
    const id = typeof parts['id'] === 'string' ? parts['id'].slice(0, 64) : null
    const why = problem ?? 'Send tollgate.setup first.'
    tell({ type: 'tollgate.error', id, code: 'bad_message', message: why, field: null })
  } else if (type === 'tollgate.setup') setUp(parts, tell)
  else if (type === 'tollgate.tokenize') void tokenize(/** @type {any} */ (parts), tell)
  else if (type === 'tollgate.focus') card.focus(parts['field'])
  else if (!isAsking) card.clear()
}

window.addEventListener('message', hear)
// A page that is left, or that comes back out of the browser's memory, holds no card.
window.addEventListener('pagehide', card.clear)
window.addEventListener('pageshow', card.clear)

if (window.parent === window) {
  partCalled('notice').textContent =
    'This page belongs inside the page of a shop. No card can be entered here.'
  partCalled('notice').hidden = false
}
